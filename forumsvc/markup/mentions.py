"""Finding `@login` in the text of sanitized HTML.

A login is 2 to 20 ASCII letters, digits, `-`, `_` and `.`, and begins and ends with a letter, a
digit or `_`.
"""

import re
from collections.abc import Iterator

from forumsvc.markup.html_nodes import nodes

_MENTION = re.compile(r"@([A-Za-z0-9_.-]++)(?!@)")
_LOGIN = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,18}[A-Za-z0-9_]")


def split_at_mentions(html: str) -> list[str]:
    """Return sanitized HTML cut at its mentions: HTML, login, HTML, …, HTML.

    Code and links are never cut; nor is an address such as `a@login.org`.
    """
    segments: list[str] = []
    done = offset = 0
    for node in nodes(html):
        if node.prose and "@" in node.source:
            for start, login in _find_logins(node.source):
                segments += [html[done : offset + start], login]
                done = offset + start + 1 + len(login)
        offset += len(node.source)
    return [*segments, html[done:]]


def _find_logins(text: str) -> Iterator[tuple[int, str]]:
    for match in _MENTION.finditer(text):
        login = match[1].rstrip(".-")  # the stop or dash of the sentence is not the login's
        if _LOGIN.fullmatch(login) and not _inside_word(text, match.start()):
            yield match.start(), login


def _inside_word(text: str, at: int) -> bool:
    """Tell whether an address or path goes on at `at`; scripts without case write no blanks."""
    before = text[at - 1 : at]
    return before in {"_", "@", "/", "+"} or before.isdigit() or before.lower() != before.upper()
