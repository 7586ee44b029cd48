"""Parses inline Markdown in linear time where Python-Markdown needs quadratic time."""

import re
from xml.etree.ElementTree import Element

from markdown import Markdown
from markdown.inlinepatterns import InlineProcessor
from markdown.treeprocessors import InlineProcessor as InlineTreeProcessor
from markdown.util import AtomicString

_MAY_BE_MARKDOWN = re.compile(r"[\\`\[<&*_~:@\n]|www\.", re.IGNORECASE)
"""Every match of an inline pattern contains one of these; `parser` lists the patterns."""

_FORWARD = frozenset(
    {
        *("backtick", "backslash_break", "escaped_ampersand", "escape", "reference", "autolink"),
        *("automail", "linebreak", "html", "entity", "emoji", "nl"),
    }
)
"""The patterns that read nothing before a match except one character of `_PREFIXES`."""

_ESCAPES = frozenset({"backslash_break", "escaped_ampersand", "escape"})
"""The patterns that read nothing before a match: a backslash at its end is used up."""

_PREFIXES = "\\!"

_TRIGGERS = {
    **dict.fromkeys(("autolink", "automail", "html"), ("<",)),
    **dict.fromkeys(("login", "magic-mail"), ("@",)),
    "backtick": ("`",),
    "backslash_break": ("\\\n",),
    "escaped_ampersand": ("\\&",),
    "escape": ("\\",),
    "reference": ("[",),
    "linebreak": ("  \n",),
    "magic-link": ("://", "w.", "W."),
    "entity": ("&",),
    "emoji": (":",),
    "delimiter": ("*", "_", "~"),
    "nl": ("\n",),
}
"""Of each pattern what every match contains one of: to look for it is quicker than the pattern."""

_IN_PLACE_OF_INLINE = 20


class _InlineTreeProcessor(InlineTreeProcessor):
    """Python-Markdown's processor, with its private method `__handleInline` replaced.

    Python-Markdown copies the paragraph for each match of a pattern. Here all matches of a pattern
    are replaced in one copy, if none can change how the next one is parsed.
    """

    def __init__(self, md: Markdown) -> None:
        super().__init__(md)
        self._forward = {md.inlinePatterns[name] for name in _FORWARD}
        self._escapes = {md.inlinePatterns[name] for name in _ESCAPES}
        names = sorted(_TRIGGERS, key=md.inlinePatterns.get_index_for_name)
        self._patterns = [(md.inlinePatterns[name], _TRIGGERS[name]) for name in names]

    def _InlineProcessor__handleInline(  # noqa: N802 - Markdown's name
        self, data: str, first: int = 0
    ) -> str:
        """Return the text with placeholders for the matches of patterns from `first` on."""
        if isinstance(data, AtomicString) or _MAY_BE_MARKDOWN.search(data) is None:
            return data
        for number, (pattern, triggers) in enumerate(self._patterns[first:], first):
            if any(trigger in data for trigger in triggers) and not any(
                tag in self.ancestors for tag in pattern.ANCESTOR_EXCLUDES
            ):
                data = self._replace_matches(pattern, number, data)
        return data

    def _replace_matches(self, pattern: InlineProcessor, number: int, data: str) -> str:
        """Return the text with a placeholder for each match of one pattern."""
        looks_behind = pattern not in self._forward
        segments: list[str] = []
        done = start = 0
        while result := _find_first(pattern, data, start):
            node, begin, start = result
            if node is None:
                continue
            if isinstance(node, Element) and not isinstance(node.text, AtomicString):
                self._apply_within(node, number)
            placeholder = self._InlineProcessor__stashNode(node, pattern.type())
            segments += [data[done:begin], placeholder]
            done = start
            is_prefix = data[done - 1] in _PREFIXES and pattern not in self._escapes
            if looks_behind or is_prefix:
                before = "".join(segments)
                data = "".join((before, data[done:]))
                segments = []
                done, start = 0, len(before)
        return "".join((*segments, data[done:])) if segments else data

    def _apply_within(self, node: Element, number: int) -> None:
        for child in [node, *node]:
            if child.text:
                self.ancestors.append(child.tag.lower())
                child.text = self._InlineProcessor__handleInline(child.text, number + 1)
                self.ancestors.pop()
            if child.tail:
                child.tail = self._InlineProcessor__handleInline(child.tail, number)


def _find_first(
    pattern: InlineProcessor, data: str, start: int
) -> tuple[Element | str | None, int, int] | None:
    """Return the node of the first match from `start` on, and the match's start and end.

    The node is None if the match stays as it is; the search then continues at its end.
    """
    for match in pattern.getCompiledRegExp().finditer(data, start):
        node, begin, end = pattern.handleMatch(match, data)
        if begin is not None and end is not None:
            return node, begin, end
    return None


def add_inline(md: Markdown) -> None:
    """Replace Python-Markdown's processor; must run after all inline patterns."""
    md.treeprocessors.register(_InlineTreeProcessor(md), "inline", _IN_PLACE_OF_INLINE)
