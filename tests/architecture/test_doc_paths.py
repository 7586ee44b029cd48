"""Every file and test that the documents name is there."""

import re
from pathlib import Path

import pytest

from tests.architecture.test_oauth_checklist import names_of_tests

ROOT = Path(__file__).parents[2]
PAGES = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("forumsvc/**/README.md")]
FOLDERS = [ROOT, ROOT / "forumsvc", ROOT / "docs"]
PATH = re.compile(r"`((?:[a-z_0-9.]+/)+[a-z_0-9]+\.(?:py|md|yaml|toml|conf|service))`")
LINK = re.compile(r"\[([^]]*)\]\((?!https?:|/|#)([^)#]+)[^)]*\)")
TEST = re.compile(r"`(?:[a-z_0-9/]+\.py::)?(test_\w+)`")


def pages(test: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize(test, PAGES, ids=lambda page: str(page.relative_to(ROOT)))


@pages("page")
def test_every_path_that_a_page_names_exists(page: Path) -> None:
    named = set(PATH.findall(page.read_text()))
    folders = [*FOLDERS, page.parent, *(path for path in (ROOT / "forumsvc").iterdir())]
    missing = [path for path in named if not any((folder / path).exists() for folder in folders)]
    assert sorted(missing) == []


@pages("page")
def test_every_link_to_a_file_has_its_target(page: Path) -> None:
    links = LINK.findall(without_code(page))
    assert sorted(to for _, to in links if not (page.parent / to).exists()) == []


@pages("page")
def test_every_test_that_a_page_names_exists(page: Path) -> None:
    text = without_code(page)
    missing = [name for name in TEST.findall(text) if name not in names_of_tests()]
    for name, to in LINK.findall(text):
        target = page.parent / to
        if name.startswith("test_") and not name.endswith(".py"):
            there = target.exists() and f"\ndef {name}(" in target.read_text("utf-8")
            missing += [] if there else [f"{name} in {to}"]
    assert missing == []


def without_code(page: Path) -> str:
    """Return the text of a page without its blocks of code."""
    return re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
