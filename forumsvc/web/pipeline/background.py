"""Background work of a process: it begins with the first request.

Threads do not survive a fork, and the application is made before the server forks its workers.
"""

from collections.abc import Callable
from typing import Any

from ..api.request import ForumRequest

Handler = Callable[[ForumRequest], Any]


def background_tween(handler: Handler, registry: Any) -> Handler:
    """Start the work that no request asks for, unless it runs."""
    start = registry.notification_jobs.start

    def started(request: ForumRequest) -> Any:
        start()
        return handler(request)

    return started
