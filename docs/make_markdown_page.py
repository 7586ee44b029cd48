"""Makes docs/markdown.md: `make generated`.

The examples come from docs/markdown_examples.toml, their HTML from the renderer, and the number of
passing examples of the specifications from the record of the conformance test.
"""

import json
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

The `body` of a topic or reply is Markdown; `body_html` is its HTML, rendered when it was written.
The service has a style sheet for that HTML under `/docs/content.css`, light and dark, which clients
may use: put the HTML into an element of class `forum-content`.

A text that takes more than `markup.timeout`, by default a second of processor time, to render is
shown unformatted.

"""


def page() -> str:
    """Return the text of the page."""
    source = tomllib.loads(EXAMPLES.read_text(encoding="utf-8"))
    pipeline = Pipeline()
    return _INTRODUCTION + "\n".join(
        [
            *(_section(section, pipeline) for section in source["section"]),
            _conformance(source["difference"]),
        ]
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


def _conformance(differences: list[dict[str, Any]]) -> str:
    record = json.loads(RECORD.read_text(encoding="utf-8"))
    lines = [
        f"| {name} | {counts['examples']} | {counts['passing']} |"
        for name, counts in record.items()
    ]
    failing = record["CommonMark 0.31.2"]["failing"]
    return "\n".join(
        [
            "## Conformance to the specifications",
            "",
            "Not counted as differences: line breaks at line ends, the classes and ids that the",
            "forum adds, HTML that is shown as text, definitions that no link uses, links of",
            "schemes that are not allowed, and how URLs are encoded.",
            "",
            "| specification | examples | passing |",
            "|---|---:|---:|",
            *lines,
            "",
            "Why the others of CommonMark do not pass:",
            "",
            "| examples | difference |",
            "|---|---|",
            *filter(None, (_difference(difference, failing) for difference in differences)),
            "",
            "Of GFM that of a row with more cells than the heading (204): they are shown.",
            "",
        ]
    )


def _difference(difference: dict[str, Any], failing: list[int]) -> str:
    examples = [number for number in difference["examples"] if number in failing]
    return f"| {', '.join(map(str, examples))} | {difference['reason']} |" if examples else ""
