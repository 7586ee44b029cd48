"""Texts that try to run script.

`texts` combines the known payloads with all places in Markdown. All of them run the same JavaScript
if they succeed, so that a browser test can detect it (`window.pwned = 1`, for example).
`published` adds the payloads of another project's corpus.
"""

from itertools import chain, product
from pathlib import Path

import yaml

from tests.unit.markup import source_archives

_PARTS = yaml.safe_load(Path(__file__).with_name("xss_corpus.yaml").read_text("utf-8"))


def payloads(code: str = "alert(1)") -> list[str]:
    """Return every payload once; `code` is JavaScript without spaces and quotes."""
    handlers = (
        spelling.format(element=element, event=event, code=code)
        for spelling, element, event in product(
            _PARTS["spellings"], _PARTS["elements"], _PARTS["events"]
        )
    )
    urls = (
        carrier.replace("{url}", scheme.replace("{code}", code))
        for carrier, scheme in product(_PARTS["carriers"], _PARTS["addresses"])
    )
    sources = chain(_PARTS["html"], _PARTS["markdown"], _PARTS["logins"])
    others = (text.replace("{code}", code) for text in sources)
    return [*handlers, *urls, *others]


def texts(code: str = "alert(1)") -> list[str]:
    """Return the payloads as texts of a post, HTML payloads in every place of Markdown."""
    placed = (
        place.format(text.replace("{code}", code))
        for place, text in product(_PARTS["places"], chain(_PARTS["html"], _PARTS["logins"]))
    )
    return [*payloads(code), *placed]


def published() -> list[str]:
    """Return the payloads of bleach's own tests (Apache 2.0), which run `alert`."""
    files = (source_archives.read("bleach-6.4.0", f"tests/data/{n}.test") for n in range(1, 21))
    return [file.split("\n--\n")[0] for file in files]
