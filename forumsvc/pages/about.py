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
from .post_html import post_html


def footer_html(request: ForumRequest) -> Markup:
    """Return the site's line at the end of every page, as it is where rendering fails.

    It stands in the page of that failure, too.
    """
    return site_html(request, request.site_texts.footer)


def site_html(request: ForumRequest, text: str, *, levels: int = 1) -> Markup:
    """Return a text of the site as people see it, as it is where rendering fails.

    levels: of headings that the page has above it.
    """
    try:
        return _rendered(request.authoring.renderer, text, levels)
    except Unavailable:
        return escape(text)


@lru_cache(32)
def _rendered(renderer: Renderer, text: str, levels: int = 1) -> Markup:
    return post_html(renderer.render(text).html, "", last_floor=0, levels=levels)


@page("about", "/about", topics_page, Common.VIEW, "text")
@page("rules", "/rules", topics_page, Common.VIEW, "text")
@page("privacy", "/privacy", topics_page, Common.VIEW, "text")
def show_text(context: Resource, request: ForumRequest) -> dict[str, Any]:
    """Return the values of a page with a text of the site. Raises NotFound without rules."""
    name = request.matched_route.name
    text = getattr(request.site_texts, name)
    if not text and name == "rules":
        raise NotFound("There is nothing here.")
    html = None if not text else _rendered(request.authoring.renderer, text)
    return {"name": name, "html": html}


@page("moderators", "/moderators", topics_page, Common.VIEW, "moderators")
def show_moderators(context: Resource, request: ForumRequest) -> dict[str, Any]:
    """Return who moderates: whom to ask."""
    rows = staff.staff(request.db, request.now)
    return {"people": [(Person.of(request, row), row.role) for row in rows]}
