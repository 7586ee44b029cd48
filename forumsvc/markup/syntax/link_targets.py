"""Where links lead: `(url "title")`, and definitions such as `[label]: url "title"`.

CommonMark 0.31.2 §4.7 and §6.3.
"""

import re
from typing import NamedTuple

from forumsvc.markup.link_schemes import with_scheme

_ESCAPE = r"\\[!-/:-@\[-`{-~]"
_BLANKS = r"[ \t]*+(?:\n[ \t]*+)?"
_BARE = rf"(?:{_ESCAPE}|[^ \t\n()])"
for _ in range(3):
    _BARE = rf"(?:{_ESCAPE}|[^ \t\n()]|\({_BARE}*+\))"
_URL = rf"(?:<(?P<in_angles>(?:{_ESCAPE}|[^<>\n])*+)>|(?P<bare>(?!<){_BARE}++))"
_TITLE = (
    rf'(?P<title>"(?:{_ESCAPE}|[^"])*+"'
    rf"|'(?:{_ESCAPE}|[^'])*+'"
    rf"|\((?:{_ESCAPE}|[^()])*+\))"
)
_LABEL = rf"\[(?!\^)(?P<label>(?:{_ESCAPE}|[^\[\]]){{1,999}}+)\]"
"""One that begins with `^` is that of a footnote, which is text."""
_INLINE = re.compile(rf"\({_BLANKS}(?:{_URL}(?:(?=[ \t\n]){_BLANKS}{_TITLE})?+)?{_BLANKS}\)")
_DEFINITION = re.compile(
    rf" {{0,3}}{_LABEL}:{_BLANKS}{_URL}"
    rf"(?:(?=[ \t\n]){_BLANKS}{_TITLE}[ \t]*(?=\n|$))?[ \t]*(?:\n|$)"
)
_ESCAPED = re.compile(rf"\\(?={_ESCAPE[2:]})")
_PERCENT_ENCODED = {ord('"'): "%22", 0xA0: "%C2%A0"}


class Target(NamedTuple):
    """Where a link leads. title: None if it has none."""

    url: str
    title: str | None

    def unescaped(self) -> "Target":
        """Return the target with a scheme, without the backslashes before its punctuation."""
        url = _ESCAPED.sub("", self.url).translate(_PERCENT_ENCODED)
        return Target(with_scheme(url), self.title and _ESCAPED.sub("", self.title))


def find_inline(text: str, start: int) -> re.Match[str] | None:
    """Return the match of a target in parentheses at `start`."""
    return _INLINE.match(text, start)


def target_of(match: re.Match[str]) -> Target:
    """Return the target of a match, its escapes still in it."""
    title = match["title"]
    return Target(match["in_angles"] or match["bare"] or "", title and title[1:-1])


def normalize_label(label: str) -> str:
    """Return what a definition and its links have in common; "" if a label is blank."""
    return " ".join(label.split()).casefold()


def find_definition(block: str, start: int) -> re.Match[str] | None:
    """Return the match of a definition at `start`, whose label is not blank."""
    match = _DEFINITION.match(block, start)
    return match if match and normalize_label(match["label"]) else None
