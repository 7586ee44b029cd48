"""GET /health: whether this process can read from and write to the database."""

from typing import Any

from pyramid.config import Configurator

from ..db.availability import AvailabilityCheck
from ..permissions import Common
from ..resources.public import Public
from ..web.api.request import ForumRequest
from .errors import error_response


def health(context: Public, request: ForumRequest) -> Any:
    """Report whether the database can be read and written; 503 if not both."""
    found = request.registry.availability.check()
    can = {"reads": found.reads, "writes": found.writes}
    if found.problem is None:
        return {"status": "ok", **can}
    response = error_response(request, 503, found.problem, {"Retry-After": "1"})
    response.json_body = {**response.json_body, "status": "failed", **can}
    return response


def includeme(config: Configurator) -> None:
    """Add the route."""
    config.registry.availability = AvailabilityCheck(config.registry.database)
    config.add_route("health", "/health", factory=Public)
    config.add_view(
        health, route_name="health", request_method="GET", permission=Common.VIEW, renderer="json"
    )
