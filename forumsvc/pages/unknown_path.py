"""Paths of no page: a page that says so, or the page without the slash at the end."""

from pyramid.config import Configurator
from pyramid.response import Response

from ..errors import NotFound
from ..permissions import Common
from ..web.api.request import ForumRequest
from .page_context import PageContext, public_page
from .paths import safe_redirect_path, see_other


def show_unknown(context: PageContext, request: ForumRequest) -> Response:
    """Redirect from `/topics/1/` to `/topics/1`. Raises NotFound."""
    shorter = safe_redirect_path(request.path.rstrip("/"))
    if shorter is None or shorter == request.path:
        raise NotFound("There is nothing here.")
    return see_other(f"{shorter}?{request.query_string}" if request.query_string else shorter)


def includeme(config: Configurator) -> None:
    """Add the page, for browsers only: the other parts of the service answer by themselves."""
    config.add_route(
        "unknown",
        r"/{path:(?!api(/|$)|oauth(/|$)).*}",
        factory=public_page,
        request_method=("GET", "HEAD"),
    )
    config.add_view(
        show_unknown, route_name="unknown", request_method="GET", permission=Common.VIEW
    )
