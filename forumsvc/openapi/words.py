"""Schemas of words that answers contain."""

from collections.abc import Iterable
from typing import Any

_GROWS = "More values may follow: a client should expect one that it does not know."


def words_schema(words: Iterable[str], description: str = "") -> dict[str, Any]:
    """Return the schema of words that later versions may add to."""
    text = " ".join(filter(None, [description, _GROWS]))
    return {"type": "string", "enum": [*map(str, words)], "description": text}
