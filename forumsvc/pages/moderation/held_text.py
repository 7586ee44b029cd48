"""The text of a post that is held, as readers would see it."""

from functools import lru_cache

from markupsafe import Markup

from ...errors import Unavailable
from ...markup import Renderer
from ...web.api.request import ForumRequest
from ..post_html import post_html

_KEPT = 50
"""How many texts are kept as HTML: a queue is looked through by several people."""


def held_html(request: ForumRequest, text: str) -> Markup | None:
    """Return the HTML of a Markdown text, its mentions no links; None where none can be made now.

    Of a held post only the source is stored.
    """
    try:
        return _rendered(request.authoring.renderer, text)
    except Unavailable:
        return None


@lru_cache(_KEPT)
def _rendered(renderer: Renderer, text: str) -> Markup:
    return post_html(renderer.render(text).html, "", levels=1)
