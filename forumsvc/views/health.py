"""GET /health: whether this process can answer."""

from typing import Any

from pyramid.config import Configurator
from sqlalchemy import text

from ..permissions import Common
from ..resources.public import Public
from ..web.request import ForumRequest


def health(context: Public, request: ForumRequest) -> dict[str, Any]:
    """Ask the database for a sign of life; its error is the error view's."""
    request.reader.execute(text("SELECT 1"))
    return {"status": "ok"}


def includeme(config: Configurator) -> None:
    """Add the address."""
    config.add_route("health", "/health", factory=Public)
    config.add_view(
        health, route_name="health", request_method="GET", permission=Common.VIEW, renderer="json"
    )
