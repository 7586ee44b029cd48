"""/docs/guide: how to write a client. Each chapter is a Markdown file in the folder `chapters`."""

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, partial
from importlib.resources import files
from typing import Any

from markupsafe import Markup

from ...errors import NotFound
from ...markup import Renderer
from ...markup.html_tags import ID_PREFIX
from ...permissions import Common
from ...web.api.request import ForumRequest
from ..page import page
from ..page_context import PageContext, public_page
from ..post_html import accessible

CHAPTERS = (
    "quick-start",
    "requests",
    "paging",
    "search",
    "errors",
    "abilities",
    "notifications",
    "moderation",
    "uploads",
    "oauth",
    "webhooks",
    "polite-http",
    "unread",
    "drafts",
    "versions",
    "round-trips",
    "keyed-envelope",
    "generated-clients",
)
"""The chapters, in reading order."""

LANGUAGES = {"sh": "curl", "python": "Python", "js": "JavaScript"}
EXAMPLE_URL = "http://127.0.0.1:6543"
"""The base URL in the texts; the page shows the URL of this service instead."""

_guide_page = partial(
    page, factory=public_page, permission=Common.VIEW, template="guide", needs="docs.enabled"
)
_EXAMPLE = re.compile(rf"^```({'|'.join(LANGUAGES)})\n.*?^```\n", re.MULTILINE | re.DOTALL)
_SIDE_BY_SIDE = re.compile(rf"(?:{_EXAMPLE.pattern}\n*)+", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Section:
    """A section of a chapter: text, or one example in several languages.

    html: the text; examples: language -> HTML, empty if this section is text.
    """

    html: str
    examples: dict[str, str]


@dataclass(frozen=True)
class Chapter:
    """A page of the guide. name: in its URL; title: its heading."""

    name: str
    title: str
    sections: tuple[Section, ...]


def source(name: str) -> str:
    """Return the Markdown of a chapter."""
    return files(__package__).joinpath("chapters", f"{name}.md").read_text(encoding="utf-8")


@cache
def chapters() -> dict[str, Chapter]:
    """Return the chapters by name; they are rendered once."""
    # These texts are trusted and cannot be slow to render, so they need no worker process.
    renderer = Renderer(workers=0)
    return {name: _chapter(renderer, name) for name in CHAPTERS}


def _chapter(renderer: Renderer, name: str) -> Chapter:
    heading, _, text = source(name).partition("\n")
    return Chapter(name, heading.removeprefix("# "), tuple(_sections(renderer, text)))


def _html(renderer: Renderer, text: str) -> str:
    # In a post a line break is kept; in these files it only wraps the line.
    rendered = renderer.render(text).html.replace("<br>\n", "\n")
    # Addresses of problems (RFC 9457) lead to such headings.
    return rendered.replace(f'<h3 id="{ID_PREFIX}', '<h3 id="')


def _sections(renderer: Renderer, text: str) -> Iterator[Section]:
    end = 0
    for item in _SIDE_BY_SIDE.finditer(text):
        blocks = {entry[1]: _html(renderer, entry[0]) for entry in _EXAMPLE.finditer(item[0])}
        if len(blocks) > 1:
            yield Section(_html(renderer, text[end : item.start()]), {})
            yield Section("", blocks)
            end = item.end()
    yield Section(_html(renderer, text[end:]), {})


@_guide_page("guide", "/docs/guide")
@_guide_page("guide_chapter", "/docs/guide/{chapter}")
def show(context: PageContext, request: ForumRequest) -> dict[str, Any]:
    """Show a chapter, by default the first. Raises NotFound."""
    name = request.matchdict.get("chapter", CHAPTERS[0])
    chapter = chapters().get(name)
    if chapter is None:
        raise NotFound("There is no such chapter.")
    base_url = html.escape(request.site.base_url)
    at = CHAPTERS.index(name)
    return {
        "chapter": chapter,
        "chapters": chapters().values(),
        "before": chapters().get(CHAPTERS[at - 1]) if at else None,
        "after": chapters().get(CHAPTERS[at + 1]) if at + 1 < len(CHAPTERS) else None,
        "languages": LANGUAGES,
        # The renderer sanitized it.
        "safe": lambda rendered: Markup(accessible(rendered.replace(EXAMPLE_URL, base_url))),  # noqa: S704
    }
