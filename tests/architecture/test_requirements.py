"""Every library that the service imports is declared in `setup.py`."""

import ast
import re
import sys
from collections.abc import Iterator
from importlib.metadata import packages_distributions, requires
from pathlib import Path

ROOT = Path(__file__).parents[2]
NAMESPACES = {"zope"}
"""Packages of many distributions: each part has the name of its distribution."""


def imported() -> Iterator[tuple[str, Path]]:
    """Yield each module that the service or a migration imports, with the file."""
    for folder in ("forumsvc", "alembic"):
        for file in (ROOT / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(file.read_text("utf-8"))):
                if isinstance(node, ast.Import):
                    yield from ((alias.name, file) for alias in node.names)
                elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                    yield node.module, file


def declared() -> set[str]:
    """Return the names of the distributions that an installation may have, with its extras."""
    texts = requires("forumsvc") or []
    return {
        normalized(re.split(r"[^\w.-]", text)[0])
        for text in texts
        if not re.search(r"extra == ['\"](test|dev|bench)", text)
    }


def normalized(name: str) -> str:
    """Return the name of a distribution as package indexes compare it (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def test_every_imported_library_is_declared():
    distributions = packages_distributions()
    names = declared()
    missing = set()
    for module, file in imported():
        top, *parts = module.split(".")
        if top == "forumsvc" or top in sys.stdlib_module_names:
            continue
        owners = [f"{top}.{parts[0]}"] if top in NAMESPACES else distributions.get(top, [top])
        if not names & {normalized(owner) for owner in owners}:
            missing.add(f"{file.relative_to(ROOT)} imports {module}")
    assert sorted(missing) == []
