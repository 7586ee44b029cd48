"""Links bare URLs: GFM 0.29 §6.9, also in scripts that use no spaces between words."""

import re
from xml.etree.ElementTree import Element

from markdown import Markdown
from markdown.inlinepatterns import InlineProcessor
from markdown.util import AtomicString

_START = r"(?<![A-Za-z0-9_/<@.-])(?i:(?:https?|ftp)://|www\.)(?=[^\W_])"
_REST = re.compile(
    r"[^\s<\x02\x03\u3000-\u3003\u3008-\u3011\uff01\uff08\uff09\uff0c\uff1a\uff1b\uff1f]*"
)
_ENTITY = re.compile(r"&[A-Za-z0-9]+;\Z")
_TRAILING_PUNCTUATION = "?!.,:*_~'\""
_DOMAIN = re.compile(r"[^\W_]+(?:[-\w]*\.[-\w]*[^\W_])*")
_IN_PLACE_OF_MAGICLINK = 85


class _AutolinkProcessor(InlineProcessor):
    ANCESTOR_EXCLUDES = ("a",)

    def handleMatch(  # noqa: N802 - Markdown's name
        self, m: re.Match[str], data: str
    ) -> tuple[Element | None, int | None, int | None]:
        rest = _REST.match(data, m.end())
        url = _strip_trailing_punctuation(m[0] + (rest[0] if rest else ""))
        host = _DOMAIN.match(url, len(m[0]))
        if host is None or (m[0].endswith(".") and "." not in host[0]):
            return None, None, None
        link = Element("a", href=url if "://" in m[0] else f"http://{url}")
        link.text = AtomicString(url)
        return link, m.start(), m.start() + len(url)


def _strip_trailing_punctuation(url: str) -> str:
    """Return a URL without the punctuation of its sentence and without an unmatched parenthesis."""
    surplus = url.count(")") - url.count("(")
    end = len(url)
    while end:
        last = url[end - 1]
        if last == ")" and surplus > 0:
            surplus -= 1
            end -= 1
        elif last in _TRAILING_PUNCTUATION:
            end -= 1
        elif last == ";" and (entity := _ENTITY.search(url, max(0, end - 40), end)):
            end = entity.start()
        else:
            break
    return url[:end]


def add_autolinks(md: Markdown) -> None:
    """Replace magiclink's processor; must run after that extension."""
    md.inlinePatterns.register(_AutolinkProcessor(_START, md), "magic-link", _IN_PLACE_OF_MAGICLINK)
