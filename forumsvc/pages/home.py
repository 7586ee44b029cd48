"""The home page."""

from typing import Any

from pyramid.config import Configurator

from ..permissions import Common
from ..web.api.request import ForumRequest
from .page_context import PageContext, public_page


def show(context: PageContext, request: ForumRequest) -> dict[str, Any]:
    return {"api": f"{request.site.base_url}/api/v3"}


def includeme(config: Configurator) -> None:
    config.add_route("home", "/", factory=public_page)
    config.add_view(
        show,
        route_name="home",
        request_method="GET",
        renderer="templates/home.jinja2",
        permission=Common.VIEW,
    )
