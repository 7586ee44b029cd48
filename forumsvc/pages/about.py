"""What a community says of itself: About, Rules, Privacy, and who its moderators are."""

from functools import lru_cache
from typing import Any

from markupsafe import Markup, escape
from pyramid.config import Configurator

from ..errors import NotFound, Unavailable
from ..markup import Renderer
from ..permissions import Common
from ..queries import staff
from ..resources.base import Resource
from ..web.api.request import ForumRequest
from .branding import TEXTS
from .lines import Person
from .page_tree import topics_page
from .views import View, add_page


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


def _text_page(name: str) -> View:
    def show(context: Resource, request: ForumRequest) -> dict[str, Any]:
        text = request.registry.branding.texts.get(name)
        if text is None and name == "rules":
            raise NotFound("There is nothing here.")
        html = None if text is None else _rendered(request.authoring.renderer, text)
        return {"name": name, "html": html}

    show.__name__ = f"show_{name}"
    return show


def show_moderators(context: Resource, request: ForumRequest) -> dict[str, Any]:
    """Return who moderates: whom to ask."""
    rows = staff.staff(request.db)
    return {"people": [(Person.of(request, row), row.role) for row in rows]}


def includeme(config: Configurator) -> None:
    for name in TEXTS:
        add_page(
            config, name, f"/{name}", topics_page, Common.VIEW, _text_page(name), template="text"
        )
    page = ("moderators", "/moderators", topics_page, Common.VIEW, show_moderators)
    add_page(config, *page, template="moderators")
