"""Writes docs/markdown.md: `python docs/make_markdown_page.py`.

The examples come from docs/markdown_examples.toml, their HTML from the renderer, and how many
examples of the specifications pass from the record that the conformance test keeps.
With `--check` nothing is written; it exits 1 where the page is not what it would write.
"""

import json
import sys
import tomllib
from pathlib import Path
from typing import Any

from forumsvc.markup import RenderedText
from forumsvc.markup.pipeline import Pipeline

DOCS = Path(__file__).parent
PAGE = DOCS / "markdown.md"
EXAMPLES = DOCS / "markdown_examples.toml"
RECORD = DOCS.parent / "tests" / "unit" / "markup" / "conformance.json"

OWN_HOST = "forum.example"

_INTRODUCTION = """\
# What authors can write

<!-- Made by docs/make_markdown_page.py from docs/markdown_examples.toml; do not edit. -->

The `body` of a topic or reply is Markdown; `body_html` is the HTML made of it when it was written.
The service has a style sheet for that HTML under `/docs/content.css`, light and dark, which clients
may take: put the HTML into an element of class `forum-content`.

A text that takes more than `markup.timeout`, a second of processor time, to render is shown as it
is, unformatted.

"""


def page() -> str:
    """Return the text of the page."""
    sections = tomllib.loads(EXAMPLES.read_text(encoding="utf-8"))["section"]
    pipeline = Pipeline()
    return _INTRODUCTION + "\n".join(
        [*(_section(section, pipeline) for section in sections), _conformance()]
    )


def _section(section: dict[str, Any], pipeline: Pipeline) -> str:
    pieces = [f"## {section['title']}\n"]
    if "text" in section:
        pieces.append(section["text"].strip() + "\n")
    for example in section["example"]:
        markdown = example["markdown"].strip("\n")
        html = RenderedText(tuple(pipeline.render(markdown, OWN_HOST))).html
        pieces.append(f"````markdown\n{markdown}\n````\n\n````html\n{html}\n````\n")
    return "\n".join(pieces)


def _conformance() -> str:
    lines = [
        f"| {name} | {counts['examples']} | {counts['passing']} |"
        for name, counts in json.loads(RECORD.read_text(encoding="utf-8")).items()
    ]
    return "\n".join(
        [
            "## How far the specifications are followed",
            "",
            "Not counted as a difference: a line end that breaks the line, the classes and ids",
            "that the forum adds, what the sanitizer takes away, and how addresses are encoded.",
            "",
            "| specification | examples | read as specified |",
            "|---|---:|---:|",
            *lines,
            "",
        ]
    )


def main() -> int:
    """Write the page, or check it."""
    if "--check" in sys.argv[1:]:
        return int(PAGE.read_text(encoding="utf-8") != page())
    PAGE.write_text(page(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
