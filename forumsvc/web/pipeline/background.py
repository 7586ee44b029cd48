"""Background threads of a process, started by its first request.

Threads do not survive a fork, and the application is created before the server forks its workers.
"""

from typing import Any

from ...registry import ForumRegistry
from ..api.request import ForumRequest, Handler


def background_tween(handler: Handler, registry: ForumRegistry) -> Handler:
    """Start the background threads unless they run."""

    def started(request: ForumRequest) -> Any:
        registry.notification_jobs.start()
        return handler(request)

    return started
