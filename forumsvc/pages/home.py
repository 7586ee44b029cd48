"""The home page, and the files that every page or every crawler loads."""

from pyramid.config import Configurator
from pyramid.response import Response

from ..permissions import Common
from ..resources.public import Public
from ..web.api.request import ForumRequest
from .assets import load_asset
from .page_context import PageContext, public_page
from .templating import render_page

_FILES = ("style.css", "favicon.ico", "robots.txt")


def show(context: PageContext, request: ForumRequest) -> Response:
    return render_page(context, "home.html", api=f"{request.site.base_url}/api/v3")


def file(context: Public, request: ForumRequest) -> Response:
    """Serve the file of this package that the URL names."""
    return load_asset(request.matched_route.pattern.removeprefix("/")).respond(request)


def includeme(config: Configurator) -> None:
    config.add_route("home", "/", factory=public_page)
    config.add_view(show, route_name="home", request_method="GET", permission=Common.VIEW)
    for name in _FILES:
        route = name.partition(".")[0]
        config.add_route(route, f"/{name}", factory=Public)
        config.add_view(file, route_name=route, request_method="GET", permission=Common.VIEW)
