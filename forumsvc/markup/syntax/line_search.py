"""Searches the rest of a block again and again without reading all of it each time."""

import re
from collections.abc import Iterator

MIN_CACHED_LENGTH = 500
"""Characters. A shorter text is searched quickly and must not replace a longer one in the cache."""


class LineSearch:
    """A pattern that matches from the start of a line, for a block processor.

    A processor takes one construct from a block and returns the rest, which all processors then
    search again: a block of n constructs would be read n times. So the last text without a match
    is remembered, and of a text that is its end only the first line is searched.
    """

    def __init__(self, pattern: re.Pattern[str]) -> None:
        """pattern: each of its matches must begin at `^` or after a line break."""
        self._pattern = pattern
        self._without_match = ""

    def match(self, text: str) -> re.Match[str] | None:
        """Match at the start of the text, like `re.Pattern.match`."""
        return self._pattern.match(text)

    def search(self, text: str) -> re.Match[str] | None:
        """Search the text, like `re.Pattern.search`."""
        if self._without_match.endswith(text):
            return self._pattern.match(text)
        match = self._pattern.search(text)
        if match is None and len(text) > MIN_CACHED_LENGTH:
            self._without_match = text
        return match


def lines_of(text: str, start: int = 0) -> Iterator[str]:
    """Yield the lines of a text from `start` on one by one, split like `str.split("\\n")`."""
    while (end := text.find("\n", start)) >= 0:
        yield text[start:end]
        start = end + 1
    yield text[start:]
