"""The examples of the CommonMark and the GitHub Flavored Markdown specifications.

Their licence (CC BY-SA 4.0) is not this project's, so they are fetched and not kept here: the
source archive of marko carries both texts unchanged (CommonMark's is that of npm's
`commonmark-spec` 0.31.2, which would need npm on every machine that runs the tests).
"""

import re
from typing import NamedTuple

from tests.unit.markup import source_archives

_RELEASE = "marko-2.2.4"
_EXAMPLE = re.compile(r"^`{32} example([^\n]*)\n(.*?)^\.\n(.*?)^`{32}$", re.S | re.M)


class Example(NamedTuple):
    """One example: its number in the specification, Markdown in and HTML out."""

    number: int
    extension: str
    markdown: str
    html: str


def commonmark() -> list[Example]:
    return _examples("commonmark")


def gfm_extensions() -> list[Example]:
    """Return those examples of GFM 0.29 that show what it adds to CommonMark."""
    return [example for example in _examples("gfm") if example.extension]


def _examples(specification: str) -> list[Example]:
    text = source_archives.read(_RELEASE, f"tests/spec/{specification}.txt")
    found = []
    for number, match in enumerate(_EXAMPLE.finditer(text), 1):
        extension, markdown, html = (group.replace("→", "\t") for group in match.groups())
        found.append(Example(number, extension.strip(), markdown, html))
    return found
