"""The front page, and the style sheet of them all."""

from pyramid.config import Configurator
from pyramid.response import Response

from ..permissions import Common
from ..resources.public import Public
from ..web.request import ForumRequest
from .assets import asset
from .rendering import page
from .visits import Visit, anybodys


def show(visit: Visit, request: ForumRequest) -> Response:
    """Say what this is."""
    return page(visit, "front.html", api=f"{request.site.base_url}/api/v3/openapi.json")


def style(context: Public, request: ForumRequest) -> Response:
    """Serve the style sheet; another one has another address."""
    return asset("style.css").respond(request)


def includeme(config: Configurator) -> None:
    """Add the addresses."""
    config.add_route("front", "/", factory=anybodys)
    config.add_view(show, route_name="front", request_method="GET", permission=Common.VIEW)
    config.add_route("style", "/style.css", factory=Public)
    config.add_view(style, route_name="style", request_method="GET", permission=Common.VIEW)
