"""docs/quality.md: every promise names tests that exist, each as `path` or `path::name`."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/quality.md"
NAMED = re.compile(r"`(tests/[\w./]+)(?:::(\w+))?`")


def test_every_test_that_the_page_names_is_there() -> None:
    named = NAMED.findall(PAGE.read_text("utf-8"))
    assert named
    assert [(path, name) for path, name in named if not _is_there(ROOT / path, name)] == []


def test_every_promise_names_a_test_or_a_page_of_tests_and_a_figure() -> None:
    promises = PAGE.read_text("utf-8").partition("## The promises")[2].partition("\n## ")[0]
    rows = [line for line in promises.splitlines() if line.startswith("| ")][1:]
    assert len(rows) >= 22
    for row in rows:
        _, shown_by, figure = row.strip("| ").split(" | ")
        assert NAMED.search(shown_by) or "[oauth.md]" in shown_by, row
        assert figure, row


def _is_there(path: Path, name: str) -> bool:
    if not name:
        return path.exists()
    return path.is_file() and f"\ndef {name}(" in path.read_text("utf-8")
