"""Link reference definitions (CommonMark 0.31.2 §4.7) that no link uses are shown as text.

`[12:30]: hello` has their form, and is none for its author.
"""

from xml.etree.ElementTree import Element, SubElement

from markdown import Markdown
from markdown.blockparser import BlockParser
from markdown.blockprocessors import BlockProcessor
from markdown.treeprocessors import Treeprocessor

from forumsvc.markup.syntax.link_targets import (
    Target,
    find_definition,
    normalize_label,
    target_of,
)

_BEFORE_SETEXT_HEADINGS = 61.5
_AFTER_INLINE = 15


class DefinitionText(str):
    """The text of a definition's paragraph, with an escape, so that it is no link to itself."""


class _Definitions(dict[str, Target]):
    """The definitions of a text: those that a link used, and the paragraphs of all of them."""

    def __init__(self) -> None:
        super().__init__()
        self.used: set[str] = set()
        self.paragraphs: list[tuple[str, Element, Element]] = []

    def clear(self) -> None:
        super().clear()
        self.used.clear()
        self.paragraphs.clear()


class _DefinitionProcessor(BlockProcessor):
    """Makes a paragraph of each definition that begins a paragraph. The first of a label counts."""

    def __init__(self, parser: BlockParser, definitions: _Definitions) -> None:
        super().__init__(parser)
        self._definitions = definitions

    def test(self, parent: Element, block: str) -> bool:
        return find_definition(block, 0) is not None

    def run(self, parent: Element, blocks: list[str]) -> None:
        block = blocks.pop(0)
        end = 0
        while definition := find_definition(block, end):
            paragraph = SubElement(parent, "p")
            paragraph.text = DefinitionText("\\" + definition[0].strip())
            label = normalize_label(definition["label"])
            if label not in self._definitions:
                self._definitions[label] = target_of(definition).unescaped()
                self._definitions.paragraphs.append((label, parent, paragraph))
            end = definition.end()
        if rest := block[end:]:
            blocks.insert(0, rest)


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
    elements: list[Element] = []
    for child in parent:
        if id(child) not in removed:
            elements.append(child)
        elif elements:
            elements[-1].tail = (elements[-1].tail or "") + (child.tail or "")
        else:
            parent.text = (parent.text or "") + (child.tail or "")
    parent[:] = elements


def add_link_definitions(md: Markdown) -> None:
    """Replace Python-Markdown's processor."""
    md.references = definitions = _Definitions()
    md.parser.blockprocessors.deregister("reference")
    md.parser.blockprocessors.register(
        _DefinitionProcessor(md.parser, definitions), "reference", _BEFORE_SETEXT_HEADINGS
    )
    md.treeprocessors.register(
        _UsedDefinitionsProcessor(md, definitions), "used_definitions", _AFTER_INLINE
    )
