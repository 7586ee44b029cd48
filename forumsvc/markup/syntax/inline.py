"""Inline Markdown without the work that the length of a paragraph multiplies."""

import re
from xml.etree.ElementTree import Element

from markdown import Markdown
from markdown.extensions import Extension
from markdown.inlinepatterns import (
    InlineProcessor,
    LinkInlineProcessor,
    ReferenceInlineProcessor,
)
from markdown.treeprocessors import InlineProcessor as InlineTreeProcessor
from markdown.util import AtomicString

_MAY_BE_MARKDOWN = re.compile(r"[\\`\[<&*_~:@\n]|www\.", re.IGNORECASE)
"""What every match of an inline pattern holds; `parser` has all of these patterns."""

_FORWARD = frozenset(
    {
        *("backtick", "backslash_break", "escape", "reference", "link", "image_link"),
        *("image_reference", "short_reference", "short_image_ref", "autolink", "automail"),
        *("linebreak", "html", "entity", "emoji", "nl"),
    }
)
"""The patterns that read nothing before a match but whether `_PREFIXES` stand there."""

_PREFIXES = "\\!"

_IN_PLACE_OF_INLINE = 20


class _InlineTreeProcessor(InlineTreeProcessor):
    """Python-Markdown's, with its private `__handleInline` replaced.

    Python-Markdown copies the paragraph for each match of a pattern. Here a pattern's matches are
    replaced together where one cannot change how the next is read.
    """

    def __init__(self, md: Markdown) -> None:
        super().__init__(md)
        self._forward = {md.inlinePatterns[name] for name in _FORWARD}

    def _InlineProcessor__handleInline(  # noqa: N802 - Markdown's name
        self, data: str, first: int = 0
    ) -> str:
        """Return the text with placeholders for what the patterns from number `first` on match."""
        if isinstance(data, AtomicString) or _MAY_BE_MARKDOWN.search(data) is None:
            return data
        for number in range(first, len(self.inlinePatterns)):
            pattern = self.inlinePatterns[number]
            if not any(tag in self.ancestors for tag in pattern.ANCESTOR_EXCLUDES):
                data = self._replaced(pattern, number, data)
        return data

    def _replaced(self, pattern: InlineProcessor, number: int, data: str) -> str:
        """Return the text with a placeholder for each match of one pattern."""
        looks_behind = pattern not in self._forward
        pieces: list[str] = []
        done = start = 0
        while not _cannot_close(pattern, data, start) and (found := _first(pattern, data, start)):
            node, begin, start = found
            if node is None:
                continue
            if isinstance(node, Element) and not isinstance(node.text, AtomicString):
                self._apply_within(node, number)
            placeholder = self._InlineProcessor__stashNode(node, pattern.type())
            pieces += [data[done:begin], placeholder]
            done = start
            # Python-Markdown lets some links with an unclosed title end at -1.
            if looks_behind or done <= begin or data[done - 1] in _PREFIXES:
                before = "".join(pieces)
                data = "".join((before, data[done:]))
                pieces = []
                done, start = 0, len(before)
        return "".join((*pieces, data[done:])) if pieces else data

    def _apply_within(self, node: Element, number: int) -> None:
        for child in [node, *node]:
            if child.text:
                self.ancestors.append(child.tag.lower())
                child.text = self._InlineProcessor__handleInline(child.text, number + 1)
                self.ancestors.pop()
            if child.tail:
                child.tail = self._InlineProcessor__handleInline(child.tail, number)


def _first(
    pattern: InlineProcessor, data: str, start: int
) -> tuple[Element | str | None, int, int] | None:
    """Return what the first match from `start` on becomes, where it begins and where it ends.

    It becomes None where it stays as it is; the next is searched from its end on.
    """
    for match in pattern.getCompiledRegExp().finditer(data, start):
        node, begin, end = pattern.handleMatch(match, data)
        if begin is not None and end is not None:
            return node, begin, end
    return None


def _cannot_close(pattern: InlineProcessor, data: str, start: int) -> bool:
    """Tell whether a pattern would look in vain for the end of each link or picture.

    After a quotation mark, Python-Markdown can end a link without a parenthesis.
    """
    if not isinstance(pattern, LinkInlineProcessor):
        return False
    ends = "]" if isinstance(pattern, ReferenceInlineProcessor) else ")'\""
    return all(data.find(end, start) < 0 for end in ends)


class InlineExtension(Extension):
    """Reads inline Markdown as Python-Markdown does, in less time."""

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802 - Markdown's name
        """Put the processor in the place of Python-Markdown's; after all inline patterns."""
        md.treeprocessors.register(_InlineTreeProcessor(md), "inline", _IN_PLACE_OF_INLINE)
