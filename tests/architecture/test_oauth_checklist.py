"""Each MUST of the RFCs names tests that exist, or says why it is not held."""

import ast
from functools import cache
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[2]
RFCS = ["6749", "6750", "7009", "7636", "7662", "8414", "9207", "9700"]


@cache
def names_of_tests() -> frozenset[str]:
    """Return the names of all tests, and of the stories of the OAuth provider."""
    stories = yaml.safe_load((ROOT / "tests/functional/oauth/oauth.yaml").read_text("utf-8"))
    return frozenset(stories) | frozenset(
        node.name
        for file in (ROOT / "tests").rglob("test_*.py")
        for node in ast.parse(file.read_text("utf-8")).body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    )


def test_each_must_names_tests_that_exist_or_says_why_it_is_not_held():
    text = (Path(__file__).parent / "oauth_checklist.yaml").read_text("utf-8")
    checklist: dict[str, list[dict[str, Any]]] = yaml.safe_load(text)
    assert list(checklist) == RFCS
    rules = [rule for rules in checklist.values() for rule in rules]
    assert [rule for rule in rules if bool(rule.get("tests")) == bool(rule.get("why_not"))] == []
    named = {name for rule in rules for name in rule.get("tests", [])}
    assert sorted(named - names_of_tests()) == []
