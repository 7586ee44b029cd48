"""The promises of docs/markdown.md to authors and to developers of clients."""

import json
import re
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[3]
DOCS = ROOT / "docs"
Html = Callable[[str], str]


def examples() -> list[tuple[str, str]]:
    page = (DOCS / "markdown.md").read_text(encoding="utf-8")
    return re.findall(r"````markdown\n(.*?)\n````\n\n````html\n(.*?)\n````\n", page, re.S)


def test_every_example_renders_as_on_the_page(html):
    assert len(examples()) > 15
    assert [(text, html(text)) for text, _ in examples()] == examples()


def test_the_page_has_a_reason_for_each_example_of_commonmark_that_fails():
    record = json.loads((Path(__file__).parent / "conformance.json").read_text())
    page = (DOCS / "markdown.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([0-9, ]+) \| .{20,} \|$", page, re.M)
    explained = sorted(int(number) for row in rows for number in row.split(", "))
    assert explained == record["CommonMark 0.31.2"]["failing"]
