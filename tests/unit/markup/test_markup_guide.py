"""The promises of docs/markdown.md to authors and to developers of clients."""

import re
import runpy
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from pygments.token import STANDARD_TYPES

from forumsvc.markup import sanitizer

ROOT = Path(__file__).parents[3]
DOCS = ROOT / "docs"
STYLE = ROOT / "forumsvc" / "pages" / "static" / "docs" / "content.css"
Html = Callable[[str], str]


def examples() -> list[tuple[str, str]]:
    page = (DOCS / "markdown.md").read_text(encoding="utf-8")
    return re.findall(r"````markdown\n(.*?)\n````\n\n````html\n(.*?)\n````\n", page, re.S)


def test_every_example_renders_as_on_the_page(html: Html) -> None:
    assert len(examples()) > 15
    assert [(text, html(text)) for text, _ in examples()] == examples()


def test_the_page_is_what_its_generator_writes() -> None:
    generator = DOCS / "make_markdown_page.py"
    page = runpy.run_path(str(generator))["page"]()
    assert (DOCS / "markdown.md").read_text(encoding="utf-8") == page
    check = [sys.executable, str(generator), "--check"]
    assert subprocess.run(check, check=False, env={"PYTHONPATH": str(ROOT)}).returncode == 0


def test_the_style_sheet_knows_every_class_that_leaves_the_sanitizer() -> None:
    styled = set(re.findall(r"\.([A-Za-z][\w-]*)", STYLE.read_text()))
    classes = set().union(*sanitizer._OUTPUT_CLASSES.values()) - set(STANDARD_TYPES.values())
    assert classes <= styled
