"""Links bare URLs and email addresses: GFM 0.29 §6.9, also in scripts without spaces.

There a link ends before quotation marks, dashes, symbols and fullwidth punctuation, which browsers
copy percent-encoded; its host also before a letter of such a script that follows a Latin one.
"""

import re
from xml.etree.ElementTree import Element

from markdown import Markdown
from markdown.inlinepatterns import InlineProcessor
from markdown.util import HTML_PLACEHOLDER, INLINE_PLACEHOLDER_RE, AtomicString

from forumsvc.markup.syntax.emphasis import CJK

_UNSPACED = rf"[{CJK}\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]"
"""A character of a script without spaces: CJK, Thai, Lao, Burmese, Khmer."""

_START = (
    r"(?<![A-Za-z0-9/<@.-])(?<![A-Za-z0-9]_)(?i:https?://(?:[\w.~%!$&*+,;=:-]{1,64}@)?|www\.)"
    r"(?=[^\W_])"
)
_LABEL = r"[^\W_](?:[\w-]{0,62}[^\W_])?"
_HOST = re.compile(rf"{_LABEL}(?:\.{_LABEL})*")
_BEHIND_HOST = re.compile(rf"(?<=[A-Za-z0-9])(?=\w){_UNSPACED}(?![\w-]{{0,62}}\.[A-Za-z])")
_PORT = re.compile(r":[0-9]{1,5}(?![0-9])")
_STOP = (
    r"\s\"<>`\x02\x03\xab\xbb\u200b-\u200f\u2014\u2015\u2018-\u201f\u2026\u2028-\u202e\u2039\u203a"
    r"\u2060-\u206f\u2190-\u2bff\u3000-\u3003\u3008-\u3011\u3014-\u301f\ufeff\uff01-\uff03\uff07-\uff0c"
    r"\uff0e\uff1a\uff1b\uff1f\uff3b\uff3d\uff5b\uff5d\uff5e\uff61-\uff64\U0001f000-\U0001faff"
)
_PIECE = re.compile(
    rf"(?:[^,.;!?'*~)\]}}{_STOP}]++|[,.;!?')\]}}](?!{_UNSPACED})|\*(?!\*|{_UNSPACED})|~(?!~))*+"
)
"""What goes on at least to a parenthesis that may be the sentence's: `(https://a.example/b)吧`."""

_ENTITY = re.compile(r"&[A-Za-z0-9]+;\Z")
_TRAILING_PUNCTUATION = "?!.,:;*~'"
_MAX_BEFORE = 500
"""Characters before a URL in which emphasis is looked for that it may end."""

_EMAIL = (
    rf"(?i)(?P<mail>(?<![-/+@.])(?:(?<!\w)|(?<={_UNSPACED}))[a-z0-9_+-](?:[a-z0-9_+-]|\.(?!\.))*(?<!\.)"
    r"@[a-z0-9_-]+\.(?:[a-z0-9_-]|(?<!\.)\.(?!\.))*[a-z](?![a-z0-9_@-]))"
)
_HTML = HTML_PLACEHOLDER.partition("%")[0]
_IN_PLACE_OF_MAGICLINK = 85


class _AutolinkProcessor(InlineProcessor):
    ANCESTOR_EXCLUDES = ("a",)

    def handleMatch(  # noqa: N802 - Markdown's name
        self, m: re.Match[str], data: str
    ) -> tuple[Element | None, int | None, int | None]:
        host = _HOST.match(data, m.end())
        if host is None or (m[0].endswith(".") and "." not in host[0]):
            return None, None, None
        behind = _BEHIND_HOST.search(data, host.start(), host.end())
        end = behind.start() if behind else self._end_of_path(data, host.start(), host.end())
        url = self.unescape(data[m.start() : end])
        link = Element("a", href=url if "://" in m[0] else f"http://{url}")
        link.text = AtomicString(url)
        return link, m.start(), end

    def _end_of_path(self, data: str, start: int, end: int) -> int:
        """Return the end of a URL, whose host ends at `end`, without what is its sentence's."""
        port = _PORT.match(data, end)
        end = port.end() if port else end
        if data[end : end + 1] not in {"/", "?", "#"}:
            return end
        depth = 0
        while piece := _PIECE.match(data, end):
            end = piece.end()
            depth += piece[0].count("(") - piece[0].count(")")
            if data[end : end + 1] == ")" and depth > 0:
                depth -= 1
                end += 1
            elif stashed := self._stashed_text(data, end):
                end = stashed.end()
            else:
                break
        punctuation = _TRAILING_PUNCTUATION + "_" * _is_emphasized(data, start)
        return start + len(_strip_trailing_punctuation(data[start:end], punctuation))

    def _stashed_text(self, data: str, start: int) -> re.Match[str] | None:
        """Return the placeholder at `start` if it is that of text: an escape or a login."""
        stashed = INLINE_PLACEHOLDER_RE.match(data, start)
        node = self.md.treeprocessors["inline"].stashed_nodes.get(stashed[1]) if stashed else None
        return stashed if isinstance(node, str) and _HTML not in node else None


def _is_emphasized(data: str, start: int) -> bool:
    """Return whether the last `_` before a URL begins emphasis, so that one may end behind it."""
    last = data.rfind("_", max(0, start - _MAX_BEFORE), start)
    return last >= 0 and not data[last + 1].isspace() and not data[max(0, last - 1)].isalnum()


def _strip_trailing_punctuation(url: str, punctuation: str) -> str:
    """Return a URL without the punctuation of its sentence and without unmatched brackets."""
    surplus = {
        closing: url.count(closing) - url.count(opening) for opening, closing in ("()", "[]", "{}")
    }
    end = len(url)
    while end:
        last = url[end - 1]
        if surplus.get(last, 0) > 0:
            surplus[last] -= 1
            end -= 1
        elif last == ";" and (entity := _ENTITY.search(url, max(0, end - 40), end)):
            end = entity.start()
        elif last in punctuation:
            end -= 1
        else:
            break
    return url[:end]


def add_autolinks(md: Markdown) -> None:
    """Replace and change magiclink's processors; must run after that extension."""
    md.inlinePatterns.register(_AutolinkProcessor(_START, md), "magic-link", _IN_PLACE_OF_MAGICLINK)
    md.inlinePatterns["magic-mail"].compiled_re = re.compile(_EMAIL)
