"""Spares text that holds no Markdown the twenty patterns of inline Markdown."""

import re
from xml.etree.ElementTree import Element

from markdown import Markdown
from markdown.extensions import Extension
from markdown.treeprocessors import Treeprocessor
from markdown.util import AtomicString

_MAY_BE_MARKDOWN = re.compile(r"[\\`\[<&*_~:@\n]|www\.", re.IGNORECASE)
"""What every match of an inline pattern holds; `parser` has all of these patterns."""

_BEFORE_INLINE = 21


class _PlainWordsProcessor(Treeprocessor):
    def run(self, root: Element) -> None:
        for element in root.iter():
            if element.text and _MAY_BE_MARKDOWN.search(element.text) is None:
                element.text = AtomicString(element.text)


class PlainWordsExtension(Extension):
    """Takes plain words as they are."""

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802 - Markdown's name
        """Register the processor."""
        md.treeprocessors.register(_PlainWordsProcessor(md), "plain_words", _BEFORE_INLINE)
