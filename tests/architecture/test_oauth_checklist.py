"""docs/oauth.md: each MUST of the RFCs names tests that exist, or says why it is not held."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
RFCS = ("6749", "6750", "7009", "7636", "7662", "8414", "9207", "9700")
WHY_NOT = "why not: "


def rows() -> list[tuple[str, str, str, str]]:
    """Return the checklist: RFC, section, what must be, the tests or why not."""
    _, _, checklist = (ROOT / "docs/oauth.md").read_text("utf-8").partition("\n## The checklist\n")
    found, rfc = [], ""
    for line in checklist.splitlines():
        if line.startswith("### RFC "):
            rfc = line.split()[2].rstrip(":")
        elif line.startswith("| ") and not line.startswith("| § "):
            section, what, held = (cell.strip() for cell in line.strip("|").split(" | "))
            found.append((rfc, section, what, held))
    return found


@cache
def names_of_tests() -> frozenset[str]:
    """Return the names of all tests."""
    return frozenset(
        node.name
        for file in (ROOT / "tests").rglob("test_*.py")
        for node in ast.parse(file.read_text("utf-8")).body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    )


def test_every_rfc_has_its_rows() -> None:
    assert tuple(dict.fromkeys(rfc for rfc, *_ in rows())) == RFCS


@pytest.mark.parametrize(("rfc", "section", "what", "held"), rows())
def test_a_must_names_tests_that_exist_or_says_why_not(
    rfc: str, section: str, what: str, held: str
) -> None:
    if held.startswith(WHY_NOT):
        assert len(held) > len(WHY_NOT)
        return
    named = set(re.findall(r"`(\w+)`", held))
    assert named
    assert named <= names_of_tests()
