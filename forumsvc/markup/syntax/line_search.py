"""Searching the rest of a block, and then the rest of that, without reading it all each time."""

import re
from collections.abc import Iterator

MIN_CACHED_LENGTH = 500
"""Characters of a text. A shorter one is read quickly, and must not take a longer one's place."""


class LineSearch:
    """A pattern that matches from the beginning of a line, for a block processor.

    A processor takes one construct from a block and gives back the rest, which all processors then
    search again: a block of n constructs would be read n times. What holds no match is remembered,
    and of a text that ends it only the first line is looked at.
    """

    def __init__(self, pattern: re.Pattern[str]) -> None:
        """Take a pattern of which every match begins at `^` or after a line break."""
        self._pattern = pattern
        self._without_match = ""

    def match(self, text: str) -> re.Match[str] | None:
        """Match at the beginning of the text, as `re.Pattern.match` does."""
        return self._pattern.match(text)

    def search(self, text: str) -> re.Match[str] | None:
        """Search the text, as `re.Pattern.search` does."""
        if self._without_match.endswith(text):
            return self._pattern.match(text)
        found = self._pattern.search(text)
        if found is None and len(text) > MIN_CACHED_LENGTH:
            self._without_match = text
        return found


def lines_of(text: str, start: int = 0) -> Iterator[str]:
    """Yield the lines of a text from `start` on, as `str.split` cuts them, one by one."""
    while (end := text.find("\n", start)) >= 0:
        yield text[start:end]
        start = end + 1
    yield text[start:]
