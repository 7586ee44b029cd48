"""docs/quality.md: every promise names tests that exist."""

import re
from pathlib import Path

from tests.architecture.test_oauth_checklist import names_of_tests

ROOT = Path(__file__).parents[2]
NAMED = re.compile(r"`(tests/[\w./]+|test_\w+(?:\.py)?)`")


def test_every_test_that_the_page_names_is_there() -> None:
    named = NAMED.findall((ROOT / "docs/quality.md").read_text("utf-8"))
    files = {file.name for file in (ROOT / "tests").rglob("test_*.py")}
    missing = [name for name in named if not _is_there(name, files)]
    assert named
    assert missing == []


def _is_there(name: str, files: set[str]) -> bool:
    if name.startswith("tests/"):
        return (ROOT / name).exists()
    return name in files or name in names_of_tests() or f"{name}.py" in files
