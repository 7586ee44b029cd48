"""Markdown that people wrote: READMEs and documents of the packages that are installed here.

Their texts are not kept in this repository, only what cmark-gfm sees in each of them
(`package_documents.json`); a text is found again by its SHA-256. In an environment that has
`cmarkgfm` too, `python -m tests.unit.markup.package_documents` writes the file.
"""

import hashlib
import importlib
import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from importlib.metadata import distributions
from pathlib import Path

from tests import downloads

FACTS = Path(__file__).with_name("package_documents.json")
_LENGTHS = range(300, 60_000)
_FOREIGN_SCHEME = re.compile(r"(?i)(?!https?:|mailto:)[a-z][a-z0-9+.-]*:")
_PARTS = {"a": "links", "li": "items", "tr": "rows"}


def texts() -> dict[str, tuple[str, str]]:
    """Return the documents: SHA-256 -> name with version, text."""
    found: dict[str, tuple[str, str]] = {}
    for name, text in (*_python_readmes(), *_npm_documents()):
        if len(text) in _LENGTHS:
            found.setdefault(hashlib.sha256(text.encode()).hexdigest(), (name, text))
    return found


def _python_readmes() -> Iterator[tuple[str, str]]:
    for distribution in distributions():
        metadata = distribution.metadata
        if "text/markdown" in (metadata["Description-Content-Type"] or ""):
            text = metadata["Description"] or metadata.get_payload()  # type: ignore[attr-defined]
            yield f"{metadata['Name']} {metadata['Version']}", str(text)


def _npm_documents() -> Iterator[tuple[str, str]]:
    for root in (downloads.FILES, downloads.NODE_WHEEL):
        for file in sorted(root.rglob("*.md")):
            package = next(
                (parent for parent in file.parents if (parent / "package.json").exists()), None
            )
            if package and "license" not in file.name.lower():
                facts = json.loads((package / "package.json").read_text())
                name = f"{facts.get('name')} {facts.get('version')}: {file.relative_to(package)}"
                yield name, file.read_text(encoding="utf-8")


class _Counter(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.counts = dict.fromkeys(("headings", "links", "items", "rows", "code lines"), 0)
        self._code: list[str] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        href = dict(attrs).get("href")
        if tag == "a" and (href is None or _FOREIGN_SCHEME.match(href)):
            return
        if tag in _PARTS:
            self.counts[_PARTS[tag]] += 1
        elif re.fullmatch("h[1-6]", tag):
            self.counts["headings"] += 1
        elif tag == "pre":
            self._code = []

    def handle_endtag(self, tag: str) -> None:
        if tag == "pre" and self._code is not None:
            self.counts["code lines"] += len("".join(self._code).strip("\n").splitlines())
            self._code = None

    def handle_data(self, data: str) -> None:
        if self._code is not None:
            self._code.append(data)


def count(html: str) -> dict[str, int]:
    """Return how many headings, links, items, rows of tables and lines of code HTML has."""
    counter = _Counter()
    counter.feed(html)
    counter.close()
    return counter.counts


def main() -> None:
    """Write what cmark-gfm sees."""
    cmark = importlib.import_module("cmarkgfm")
    unsafe = importlib.import_module("cmarkgfm.cmark").Options.CMARK_OPT_UNSAFE
    facts = [
        {"name": name, "sha256": key} | count(cmark.github_flavored_markdown_to_html(text, unsafe))
        for key, (name, text) in texts().items()
    ]
    lines = sorted(json.dumps(fact) for fact in facts)
    FACTS.write_text("[\n" + ",\n".join(lines) + "\n]\n")


if __name__ == "__main__":
    main()
