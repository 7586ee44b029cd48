"""Short codes of emoji: GitHub's, but not within words, times and addresses such as `::1:2`."""

import re

from markdown import Markdown
from markdown.inlinepatterns import InlineProcessor
from pymdownx.emoji import EmojiPattern

_CODE = re.compile(r"(:[a-z0-9_+-]+:)")
_CODES = r"(?:(?<!:):[a-z0-9_+-]+:)(?::[a-z0-9_+-]+:)*"
_IN_PLACE_OF_EMOJI = 75


class _EmojiProcessor(InlineProcessor):
    """Replaces codes that follow each other, so that a colon before a code is no obstacle."""

    def __init__(self, pattern: EmojiPattern, md: Markdown) -> None:
        super().__init__(_CODES, md)
        self._one_code = pattern

    def handleMatch(  # noqa: N802 - Markdown's name
        self, m: re.Match[str], data: str
    ) -> tuple[str | None, int | None, int | None]:
        if any(map(_continues_word, data[m.start() - 1 : m.start()] + data[m.end() : m.end() + 1])):
            return None, None, None
        text = _CODE.sub(lambda code: self._one_code.handleMatch(code, m[0])[0], m[0])
        return (None, None, None) if text == m[0] else (text, m.start(), m.end())


def _continues_word(char: str) -> bool:
    """Return whether a character continues a word. Scripts without case use no spaces."""
    return char == ":" or char.isdigit() or char.lower() != char.upper()


def add_emoji(md: Markdown) -> None:
    """Replace the processor of the extension `emoji`; must run after it."""
    processor = _EmojiProcessor(md.inlinePatterns["emoji"], md)
    md.inlinePatterns.register(processor, "emoji", _IN_PLACE_OF_EMOJI)
