"""The operators' reference of settings is up to date."""

import runpy
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"


def test_the_settings_page_is_what_its_generator_writes() -> None:
    page = runpy.run_path(str(DOCS / "make_settings_page.py"))["page"]()
    assert (DOCS / "operators" / "settings.md").read_text(encoding="utf-8") == page
