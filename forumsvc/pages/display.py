"""How a reader wants the pages, in a cookie: it needs no account, and pages no script for it."""

from functools import lru_cache
from typing import NamedTuple

from ..text.languages import LANGUAGES
from ..web.api.request import ForumRequest
from ..web.pipeline.session_cookie import cookie_name, cookie_of

COOKIE = "display"
LONGEST_SECONDS = 365 * 86400


class Display(NamedTuple):
    """The choices of a reader; an empty one is left to the browser."""

    language: str = ""
    theme: str = ""
    lists: str = ""

    def to_cookie(self) -> str:
        return ".".join(self)


CHOICES = {
    "language": ("", *LANGUAGES),
    "theme": ("", "light", "dark"),
    "lists": ("", "compact"),
}


def display_of(request: ForumRequest) -> Display:
    """Return what the reader of a request chose."""
    return parse_display(cookie_of(request, cookie_name(request, COOKIE)))


@lru_cache(64)
def parse_display(text: str) -> Display:
    """Return the choices in a cookie; what is no choice is as if it were empty."""
    parts = text.split(".") if len(text) < 100 else []
    named = zip(CHOICES.items(), parts, strict=False)
    return Display(**{name: part for (name, choices), part in named if part in choices})
