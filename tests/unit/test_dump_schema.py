"""The JSON Schema of dumps is up to date."""

import runpy
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"


def test_the_schema_is_what_its_generator_writes() -> None:
    made = runpy.run_path(str(DOCS / "make_dump_schema.py"))["schema"]()
    assert (DOCS / "dump-schema.json").read_text(encoding="utf-8") == made
