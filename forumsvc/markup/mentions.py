"""Finds `@login` in the text of sanitized HTML.

A login has 2 to 20 ASCII letters, digits, `-`, `_` and `.`, and begins and ends with a letter, a
digit or `_`.
"""

import re
from collections.abc import Iterator
from unicodedata import category

from forumsvc.markup.html_nodes import nodes
from forumsvc.text.ids import is_login

MAX_MENTIONS = 100
"""Of a text; the rest of it stays as it is. The link of a short login is twenty times as long."""

# Not the scope of a package, as in @types/node; but both of @ann/@bob.
_MENTION = re.compile(r"@([A-Za-z0-9_.-]++)(?!@|/[A-Za-z0-9])")


def split_at_mentions(html: str) -> list[str]:
    """Return sanitized HTML split at its mentions: HTML, login, HTML, …, HTML.

    Mentions in code, in links, in addresses such as `a@login.org` and in names of packages such as
    `@types/node` are ignored, and those after the first `MAX_MENTIONS`.
    """
    if "@" not in html:
        return [html]
    segments: list[str] = []
    done = offset = 0
    for node in nodes(html):
        if node.prose and "@" in node.source:
            for start, login in _find_logins(node.source):
                segments += [html[done : offset + start], login]
                done = offset + start + 1 + len(login)
                if len(segments) == 2 * MAX_MENTIONS:
                    return [*segments, html[done:]]
        offset += len(node.source)
    return [*segments, html[done:]]


def _find_logins(text: str) -> Iterator[tuple[int, str]]:
    end = -1
    for match in _MENTION.finditer(text):
        login = match[1].rstrip(".-")  # punctuation of the sentence, not part of the login
        follows = match.start() == end + 1 and text[end] == "/"
        begins = follows or not _inside_word(text, match.start())
        if is_login(login) and begins and not _is_of_word(text[match.end() : match.end() + 1]):
            yield match.start(), login
            end = match.end()


def _inside_word(text: str, at: int) -> bool:
    """Return whether an address or path continues at `at`."""
    before = text[at - 1 : at]
    return before in {"_", "@", "/", "+"} or _is_of_word(before)


def _is_of_word(character: str) -> bool:
    """Return whether a word goes on with a character: `@jos` is not in `@josé`.

    Scripts without case use no spaces, so `@jos` may stand before one of their words.
    """
    has_case = character.lower() != character.upper()
    return has_case or character.isdigit() or (bool(character) and category(character)[0] == "M")
