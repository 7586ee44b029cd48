"""A rendered text whose mentions are not linked yet."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from forumsvc.markup.html_nodes import nodes
from forumsvc.markup.mention_links import mention_link
from forumsvc.markup.text_content import text_content
from forumsvc.text.unicode_forms import INVISIBLE

RENDERER_VERSION = 4
"""Stored with every `body_html`; raised whenever the same text would render to other HTML."""

MAX_HTML = 1_000_000
"""The most characters of a rendered text."""

_LINKED = re.compile(r'(</?blockquote)|class="user-mention">@([A-Za-z0-9_.-]+)</a>')
_VISIBLE = frozenset({"hr", "img", "input", "li"})
"""Elements that show something without a text."""
_QUOTATION = re.compile(r"<(/?)blockquote")


def linked_logins(html: str) -> set[str]:
    """Return the logins, in lower case, of the users whom stored HTML mentions, by links.

    Those in quotations are not among them.
    """
    logins = set()
    depth = 0
    for quotation, login in _LINKED.findall(html):
        depth += {"<blockquote": 1, "</blockquote": -1}.get(quotation, 0)
        if login and not depth:
            logins.add(login.lower())
    return logins


@dataclass(frozen=True)
class RenderedText:
    """Safe HTML, split at every word that may mention a user.

    segments: HTML, login, HTML, login, …, HTML: an odd number of strings. The logins are as the
        author wrote them, without the `@`. The HTML contains no placeholder for a mention, so no
        text can forge one.
    fallback: why this is the escaped text instead of its rendering (`timeout`, `crash`, or the
        name of an exception); None if it was rendered.
    """

    segments: tuple[str, ...]
    fallback: str | None = None

    @property
    def version(self) -> int:
        """The version to store with the HTML: 0 for a fallback, so that a later run tries again."""
        return RENDERER_VERSION if self.fallback is None else 0

    @cached_property
    def mentions(self) -> list[str]:
        """The logins that may be mentioned, each once whatever its case, in order of appearance."""
        first: dict[str, str] = {}
        for login in self.segments[1::2]:
            first.setdefault(login.lower(), login)
        return list(first.values())

    @cached_property
    def notified(self) -> list[str]:
        """Those of `mentions` that stand outside quotations, in lower case."""
        depth = 0
        logins: dict[str, None] = {}
        for before, login in zip(self.segments[::2], self.segments[1::2], strict=False):
            for closing in _QUOTATION.findall(before):
                depth += -1 if closing else 1
            if not depth:
                logins[login.lower()] = None
        return list(logins)

    @property
    def html(self) -> str:
        """The HTML with every mention as plain text."""
        return self._join([f"@{login}" for login in self.segments[1::2]])

    @property
    def text(self) -> str:
        """The text of the HTML, without tags."""
        return text_content(self.html)

    @property
    def is_empty(self) -> bool:
        """Whether it shows nothing: no visible character, no image, rule or item of a list."""
        text = INVISIBLE.sub("", self.text)
        is_visible = any(char.isprintable() and not char.isspace() for char in text)
        return not is_visible and all(node.tag not in _VISIBLE for node in nodes(self.html))

    @property
    def links(self) -> int:
        """The number of links to other hosts."""
        return sum(node.tag == "a" and ' rel="' in node.attributes for node in nodes(self.html))

    @property
    def images(self) -> int:
        """The number of images."""
        return sum(node.tag == "img" for node in nodes(self.html))

    def to_html(self, logins: Mapping[str, str], user_url: str) -> str:
        """Return the HTML with mentions of existing users linked and all others as plain text.

        logins: the existing users among `mentions`: login in lower case -> login as registered, or
        the present one of who had that login when the text was written.
        user_url: the URL of a user's page, with `{login}` in it.
        """

        def mention(written: str) -> str:
            login = logins.get(written.lower())
            if login is None:
                return f"@{written}"
            shown = login if login.lower() == written.lower() else written
            return mention_link(shown, login, user_url)

        return self._join([mention(login) for login in self.segments[1::2]])

    def _join(self, mentions: list[str]) -> str:
        segments = list(self.segments)
        segments[1::2] = mentions
        return "".join(segments)
