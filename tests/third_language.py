"""A third language for the pages, made from the catalogue: Arabic letters in place of English ones.

It is written from right to left and has six plural forms. What a page shows in Latin letters comes
from a user or was never given to the catalogue.
"""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from babel.messages.catalog import Catalog
from pyramid.interfaces import ITranslationDirectories

from docs.make_catalogs import CATALOGS, compiled, read
from forumsvc.pages import display

LANGUAGE = "ar"
_KEPT = re.compile(r"(%\(\w+\)[sd]|%%|<[^>]*>|&\w+;|`[^`]*`|https?://\S+)")
_LETTERS = dict(
    zip(map(ord, "abcdefghijklmnopqrstuvwxyz"), "ابتثجحخدذرزسشصضطظعغفقكلمنه", strict=True)
)
CHOSEN = display.Display(LANGUAGE).to_cookie()
"""The value of the cookie of a reader who chose it."""


def install(patch: pytest.MonkeyPatch, registry: Any, folder: Path) -> None:
    """Let an application have the language, for readers who chose it (`CHOSEN`)."""
    catalog = Catalog(LANGUAGE)
    for message in read(CATALOGS[0]):
        if message.id:
            catalog.add(message.id, _translation(message.id, catalog.num_plurals))
    target = folder / "locale" / LANGUAGE / "LC_MESSAGES" / "forumsvc.mo"
    target.parent.mkdir(parents=True)
    target.write_bytes(compiled(catalog))
    registry.getUtility(ITranslationDirectories).append(str(folder / "locale"))
    display.parse_display.cache_clear()
    patch.setitem(display.CHOICES, "language", (*display.CHOICES["language"], LANGUAGE))


def _translation(text: str | Sequence[str], plurals: int) -> str | tuple[str, ...]:
    if isinstance(text, str):
        return _in_other_letters(text)
    # With only one of the forms, English texts may leave the number out; Arabic ones here do not.
    return tuple(f"{_in_other_letters(text[-1])} {form}" for form in range(plurals))


def _in_other_letters(text: str) -> str:
    parts = _KEPT.split(text)
    parts[::2] = [part.lower().translate(_LETTERS) for part in parts[::2]]
    return "".join(parts)
