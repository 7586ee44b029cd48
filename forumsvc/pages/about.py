"""What a community says of itself: About, Rules, Privacy, and who its moderators are."""

from functools import lru_cache
from typing import Any

from markupsafe import Markup, escape

from ..errors import NotFound, Unavailable
from ..markup import Renderer
from ..permissions import Common
from ..queries import staff
from ..resources.base import Resource
from ..web.api.request import ForumRequest
from .lines import Person
from .page import page
from .page_tree import topics_page


def footer_html(request: ForumRequest) -> Markup:
    """Return the operator's line at the end of every page, as it is where rendering fails.

    It stands in the page of that failure, too.
    """
    footer = request.registry.branding.footer
    try:
        return _rendered(request.authoring.renderer, footer)
    except Unavailable:
        return escape(footer)


@lru_cache(16)
def _rendered(renderer: Renderer, text: str) -> Markup:
    # The sandbox rendered and sanitized it.
    return Markup(renderer.render(text).html)  # noqa: S704


@page("about", "/about", topics_page, Common.VIEW, "text")
@page("rules", "/rules", topics_page, Common.VIEW, "text")
@page("privacy", "/privacy", topics_page, Common.VIEW, "text")
def show_text(context: Resource, request: ForumRequest) -> dict[str, Any]:
    """Return the values of a page whose text is a setting. Raises NotFound without rules."""
    name = request.matched_route.name
    text = request.registry.branding.texts.get(name)
    if text is None and name == "rules":
        raise NotFound("There is nothing here.")
    html = None if text is None else _rendered(request.authoring.renderer, text)
    return {"name": name, "html": html}


@page("moderators", "/moderators", topics_page, Common.VIEW, "moderators")
def show_moderators(context: Resource, request: ForumRequest) -> dict[str, Any]:
    """Return who moderates: whom to ask."""
    rows = staff.staff(request.db)
    return {"people": [(Person.of(request, row), row.role) for row in rows]}
