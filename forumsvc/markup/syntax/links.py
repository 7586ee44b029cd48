"""Links and images in brackets, by the rules of CommonMark 0.31.2 §6.3 and §6.4."""

import re
from typing import NamedTuple
from xml.etree.ElementTree import Element

from markdown import Markdown
from markdown.inlinepatterns import InlineProcessor
from markdown.util import INLINE_PLACEHOLDER_RE

from forumsvc.markup.sanitizer import keeps_target
from forumsvc.markup.syntax.link_targets import (
    Target,
    find_inline,
    normalize_label,
    target_of,
)

_OPENING = r"!?\["
_BRACKET = re.compile(rf"{_OPENING}|\]")
_REFERENCE = re.compile(r"\[([^\[\]]{0,999})\]")
_MAX_LABEL = 999
_ESCAPED_CHARACTER = re.compile(r"\x02([0-9]+)\x03")
_IN_PLACE_OF_LINKS = 170


class _Opening(NamedTuple):
    """An opening bracket. start: of `[` or `![`; text: what follows it."""

    start: int
    text: int
    is_image: bool

    def allows(self, target: Target) -> bool:
        return keeps_target("src" if self.is_image else "href", target.url)


class _Link(NamedTuple):
    """A link or an image at `start` to `end`. inner: those in its text."""

    start: int
    text: int
    text_end: int
    end: int
    is_image: bool
    target: Target
    inner: list["_Link"]


class _LinkProcessor(InlineProcessor):
    """Finds all links of a text when the first is asked for: a link may contain no other."""

    def __init__(self, md: Markdown) -> None:
        super().__init__(_OPENING, md)
        self._text = ""
        self._stash: dict[str, Element | str] = {}
        self._links: dict[int, _Link] = {}

    def handleMatch(  # noqa: N802 - Markdown's name
        self, m: re.Match[str], data: str
    ) -> tuple[Element | None, int | None, int | None]:
        inline = self.md.treeprocessors["inline"]
        if data is not self._text or inline.stashed_nodes is not self._stash:
            self._text, self._stash = data, inline.stashed_nodes
            self._links = {link.start: link for link in self._find(data)}
        link = self._links.get(m.start())
        if link is None:
            return None, None, None
        return self._element(link), link.start, link.end

    def _find(self, text: str) -> list[_Link]:
        """Return the links and images of a text that are in no other."""
        links: list[_Link] = []
        openings: list[_Opening] = []
        around_link = 0  # so many of the openings are around a link
        end = 0
        while bracket := _BRACKET.search(text, end):
            end = bracket.end()
            if bracket[0] != "]":
                openings.append(_Opening(bracket.start(), end, bracket[0] == "!["))
                continue
            if not openings:
                continue
            opening = openings.pop()
            closes_link = len(openings) >= around_link or opening.is_image
            around_link = min(around_link, len(openings))
            result = closes_link and self._target(text, opening, bracket.start())
            if not result:
                continue
            target, end = result
            inner: list[_Link] = []
            while links and links[-1].start > opening.start:
                inner.append(links.pop())
            inner.reverse()
            links.append(
                _Link(
                    opening.start,
                    opening.text,
                    bracket.start(),
                    end,
                    opening.is_image,
                    target,
                    inner,
                )
            )
            if not opening.is_image:
                around_link = len(openings)
        return links

    def _target(self, text: str, opening: _Opening, closing: int) -> tuple[Target, int] | None:
        """Return where the brackets lead, and the end of it all; None if they are text."""
        if inline := find_inline(text, closing + 1):
            url, title = target_of(inline)
            target = Target(self._source(url), title and self._source(title)).unescaped()
            return (target, inline.end()) if opening.allows(target) else None
        if not self.md.references:
            return None
        reference = _REFERENCE.match(text, closing + 1)
        label, end = (reference[1], reference.end()) if reference else ("", closing + 1)
        if not label and closing - opening.text <= _MAX_LABEL:
            label = text[opening.text : closing]
        if "[" in label:
            return None
        label = normalize_label(self._source(label))
        defined = self.md.references.get(label)
        if defined is None or not opening.allows(defined):
            return None
        self.md.references.used.add(label)
        return defined, end

    def _element(self, link: _Link) -> Element:
        if link.is_image:
            element = Element("img", alt=self._alternative(link), src=link.target.url)
        else:
            element = Element("a", href=link.target.url)
            stash = self.md.treeprocessors["inline"]._InlineProcessor__stashNode
            images = [stash(self._element(image), "link") for image in link.inner]
            element.text = self._replaced(link, images)
        if link.target.title is not None:
            element.set("title", link.target.title)
        return element

    def _alternative(self, image: _Link) -> str:
        """Return the text of an image without its formatting."""
        text = self._replaced(image, [self._alternative(link) for link in image.inner])
        delimiters = self.md.inlinePatterns.get_index_for_name("delimiter")
        inline = self.md.treeprocessors["inline"]
        return self._plain(inline._InlineProcessor__handleInline(text, delimiters))

    def _replaced(self, link: _Link, replacements: list[str]) -> str:
        """Return the text of a link or image, with replacements of those in it."""
        pieces = []
        done = link.text
        for inner, replacement in zip(link.inner, replacements, strict=True):
            pieces += [self._text[done : inner.start], replacement]
            done = inner.end
        return "".join([*pieces, self._text[done : link.text_end]])

    def _plain(self, text: str) -> str:
        def plain(placeholder: re.Match[str]) -> str:
            node = self._stash.get(placeholder[1], "")
            if isinstance(node, str):
                return node
            return "\n" if node.tag == "br" else self._plain("".join(node.itertext()))

        return INLINE_PLACEHOLDER_RE.sub(plain, text)

    def _source(self, text: str) -> str:
        """Return the Markdown of a text in which escapes and code are stashed already."""

        def source(placeholder: re.Match[str]) -> str:
            node = self._stash.get(placeholder[1], "")
            if isinstance(node, str):
                return _ESCAPED_CHARACTER.sub(lambda code: "\\" + chr(int(code[1])), node)
            return "\\\n" if node.tag == "br" else f"`{node.text}`"

        return INLINE_PLACEHOLDER_RE.sub(source, text)


def add_links(md: Markdown) -> None:
    """Replace Python-Markdown's six processors by one."""
    for name in ("image_link", "image_reference", "link", "short_reference", "short_image_ref"):
        md.inlinePatterns.deregister(name)
    md.inlinePatterns.register(_LinkProcessor(md), "reference", _IN_PLACE_OF_LINKS)
