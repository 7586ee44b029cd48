"""Every file and test that the documents name is there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("forumsvc/**/README.md")]
FOLDERS = [ROOT, ROOT / "forumsvc", ROOT / "docs"]
PATH = re.compile(r"`((?:[a-z_0-9.]+/)+[a-z_0-9]+\.(?:py|md|yaml|toml|conf|service))`")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_path_that_a_page_names_exists(page: Path) -> None:
    named = set(PATH.findall(page.read_text()))
    folders = [*FOLDERS, page.parent, *(path for path in (ROOT / "forumsvc").iterdir())]
    missing = [path for path in named if not any((folder / path).exists() for folder in folders)]
    assert sorted(missing) == []
