"""Link reference definitions (CommonMark 0.31.2 §4.7) that no link uses are shown as text.

`[12:30]: hello` has their form, and is none for its author.
"""

from typing import Any
from xml.etree.ElementTree import Element, SubElement

from markdown import Markdown
from markdown.blockparser import BlockParser
from markdown.blockprocessors import ReferenceProcessor
from markdown.treeprocessors import Treeprocessor
from markdown.util import AtomicString

_IN_PLACE_OF_REFERENCES = 15
_AFTER_INLINE = 15


class _Definitions(dict[str, tuple[str, str]]):
    """The definitions of a text: those that a link used, and the paragraphs of all of them."""

    def __init__(self) -> None:
        super().__init__()
        self.used: set[str] = set()
        self.paragraphs: list[tuple[str, Element, Element]] = []

    def __getitem__(self, name: str) -> tuple[str, str]:
        self.used.add(name)
        return super().__getitem__(name)

    def clear(self) -> None:
        super().clear()
        self.used.clear()
        self.paragraphs.clear()


class _DefinitionProcessor(ReferenceProcessor):
    """Makes a paragraph of each definition. The first of a name counts."""

    def __init__(self, parser: BlockParser, definitions: _Definitions) -> None:
        super().__init__(parser)
        self._definitions = definitions

    def run(self, parent: Element, blocks: list[str]) -> bool:
        block = blocks[0]
        match = self.RE.search(block)
        if match is None:
            return False
        if before := block[: match.start()].rstrip("\n"):
            self.parser.parseBlocks(parent, [before])
        end = match.start()
        while match is not None and not block[end : match.start()].strip("\n"):
            self._add(parent, match)
            end = match.end()
            match = self.RE.search(block, end)
        blocks[:1] = [rest] if (rest := block[end:].lstrip("\n")) else []
        return True

    def _add(self, parent: Element, match: Any) -> None:
        name = match[1].strip().lower()
        paragraph = SubElement(parent, "p")
        paragraph.text = AtomicString(match[0].strip())
        if name not in self._definitions:
            self._definitions[name] = match[2].lstrip("<").rstrip(">"), match[5] or match[6]
            self._definitions.paragraphs.append((name, parent, paragraph))


class _UsedDefinitionsProcessor(Treeprocessor):
    """Removes the paragraphs of the definitions that were used."""

    def __init__(self, md: Markdown, definitions: _Definitions) -> None:
        super().__init__(md)
        self._definitions = definitions

    def run(self, root: Element) -> None:
        used = [
            (parent, paragraph)
            for name, parent, paragraph in self._definitions.paragraphs
            if name in self._definitions.used
        ]
        removed = {id(paragraph) for _, paragraph in used}
        for parent in {id(parent): parent for parent, _ in used}.values():
            _remove(parent, removed)


def _remove(parent: Element, removed: set[int]) -> None:
    """Remove children by their `id()`, but not the text behind them."""
    kept: list[Element] = []
    for child in parent:
        if id(child) not in removed:
            kept.append(child)
        elif kept:
            kept[-1].tail = (kept[-1].tail or "") + (child.tail or "")
        else:
            parent.text = (parent.text or "") + (child.tail or "")
    parent[:] = kept


def add_link_definitions(md: Markdown) -> None:
    """Replace Python-Markdown's processor."""
    md.references = definitions = _Definitions()
    md.parser.blockprocessors.register(
        _DefinitionProcessor(md.parser, definitions), "reference", _IN_PLACE_OF_REFERENCES
    )
    md.treeprocessors.register(
        _UsedDefinitionsProcessor(md, definitions), "used_definitions", _AFTER_INLINE
    )
