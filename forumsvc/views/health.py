"""GET /health: whether this process can read from and write to the database."""

from typing import Any

from pyramid.config import Configurator

from ..background.worker import is_anybody_alive
from ..db.availability import Availability, AvailabilityCheck
from ..permissions import Common
from ..resources.public import Public
from ..web.api.request import ForumRequest
from .errors import error_response


def health(context: Public, request: ForumRequest) -> Any:
    """Report whether the database can be read and written; 503 if not both.

    `worker` says whether a background worker is alive on any host. Without one requests are
    answered all the same.
    """
    found = request.registry.availability.check()
    can = {"reads": found.reads, "writes": found.writes, "worker": _has_worker(request, found)}
    if found.problem is None:
        return {"status": "ok", **can}
    response = error_response(request, 503, found.problem, {"Retry-After": "1"})
    response.json_body = {**response.json_body, "status": "failed", **can}
    return response


def _has_worker(request: ForumRequest, found: Availability) -> bool:
    return found.reads and is_anybody_alive(request.registry.database)


def includeme(config: Configurator) -> None:
    """Add the route."""
    config.registry.availability = AvailabilityCheck(config.registry.database)
    config.add_route("health", "/health", factory=Public)
    config.add_view(
        health, route_name="health", request_method="GET", permission=Common.VIEW, renderer="json"
    )
