"""Code in backticks, by the rules of CommonMark 0.31.2 §6.1."""

import re
from bisect import bisect_left
from collections import defaultdict
from xml.etree.ElementTree import Element

from markdown import Markdown
from markdown.inlinepatterns import InlineProcessor
from markdown.util import AtomicString, code_escape

_RUN = re.compile("`+")
_ESCAPE_OR_RUN = r"\\[\\`]|`+"
_IN_PLACE_OF_BACKTICKS = 190


class _CodeSpanProcessor(InlineProcessor):
    """Finds the runs of backticks of a text once, so that none is searched in vain for its end."""

    def __init__(self, md: Markdown) -> None:
        super().__init__(_ESCAPE_OR_RUN, md)
        self._text = ""
        self._runs: dict[int, list[int]] = {}

    def handleMatch(  # noqa: N802 - Markdown's name
        self, m: re.Match[str], data: str
    ) -> tuple[Element | None, int | None, int | None]:
        if m[0][0] == "\\":
            return None, None, None
        if data is not self._text:
            self._text, self._runs = data, defaultdict(list)
            for run in _RUN.finditer(data):
                self._runs[len(run[0])].append(run.start())
        runs = self._runs[len(m[0])]
        number = bisect_left(runs, m.end())
        if number == len(runs):
            return None, None, None
        code = data[m.end() : runs[number]].replace("\n", " ")
        if code.strip(" ") and code[0] == code[-1] == " ":
            code = code[1:-1]
        element = Element("code")
        element.text = AtomicString(code_escape(code))
        return element, m.start(), runs[number] + len(m[0])


def add_code_spans(md: Markdown) -> None:
    """Replace Python-Markdown's processor."""
    md.inlinePatterns.register(_CodeSpanProcessor(md), "backtick", _IN_PLACE_OF_BACKTICKS)
