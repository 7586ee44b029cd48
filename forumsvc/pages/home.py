"""The home page."""

from typing import Any

from pyramid.config import Configurator

from ..permissions import Common
from ..web.api.request import ForumRequest
from .page_context import PageContext, public_page
from .views import add_page


def show(context: PageContext, request: ForumRequest) -> dict[str, Any]:
    return {"api": f"{request.site.base_url}/api/v3"}


def includeme(config: Configurator) -> None:
    add_page(config, "home", "/", public_page, Common.VIEW, show, template="home")
