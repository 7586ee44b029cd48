"""The home page."""

from typing import Any

from ..permissions import Common
from ..web.api.request import ForumRequest
from .page import page
from .page_context import PageContext, public_page


@page("home", "/", public_page, Common.VIEW, "home", needs=None)
def show(context: PageContext, request: ForumRequest) -> dict[str, Any]:
    return {"api": f"{request.site.base_url}/api/v3"}
