"""The tasks of the background worker of a forum."""

from ..registry import ForumRegistry
from .maintenance import Maintenance
from .worker import Task


def create_tasks(registry: ForumRegistry) -> list[Task]:
    """Return the tasks for an application whose services are configured."""
    settings = registry.forum_settings
    return [Maintenance(registry.database, settings), registry.mail_sender]
