"""Every library that the service imports is declared in `setup.py`."""

import ast
import re
import sys
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path

ROOT = Path(__file__).parents[2]
LISTS = ("REQUIRES", "POSTGRESQL", "REDIS", "S3")
"""What an installation may have: the requirements and the extras that are not for development."""
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
    """Return the names of the distributions in the lists of setup.py."""
    body = ast.parse((ROOT / "setup.py").read_text("utf-8")).body
    lists = {
        target.id: ast.literal_eval(node.value)
        for node in body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name) and target.id in LISTS
    }
    assert set(lists) == set(LISTS)
    return {normalized(re.split(r"[^\w.-]", each)[0]) for one in lists.values() for each in one}


def normalized(name: str) -> str:
    """Return the name of a distribution as package indexes compare it (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def test_every_imported_library_is_declared() -> None:
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
