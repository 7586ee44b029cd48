"""Imports go down: a module imports what is on lower floors, and what is in its own package."""

import ast
from graphlib import TopologicalSorter
from pathlib import Path

import forumsvc
from tests.cases import each

PACKAGE = Path(forumsvc.__file__).parent
FLOORS: list[set[str]] = [
    {"text"},
    {
        "errors",
        "permissions",
        "clock",
        "settings",
        "process",
        "serving",
    },
    {"sandbox", "search"},
    {"db", "markup", "media", "mail", "outgoing", "log_lines"},
    {"models", "migrate"},
    {"cache"},
    {"queries"},
    {"services", "sessions"},
    {"oauth"},
    {"security", "demo", "dump"},
    {"resources"},
    {"schemas", "presenters", "openapi"},
    {"background"},
    {"web"},
    {"doctor"},
    {"views", "pages", "examples"},
    {"__init__"},
    {"cli"},
]
"""From the ground up. Whoever stands beside each other on a floor does not import the other."""

FLOOR_OF = {name: height for height, floor in enumerate(FLOORS) for name in floor}
MODULES = sorted(PACKAGE.rglob("*.py"))


def imports_of(
    source: str, parts: tuple[str, ...], is_package: bool, *, with_types: bool = True
) -> set[tuple[str, ...]]:
    """Return what a module imports from the package.

    parts: the module's path inside the package, without a final `__init__`; with_types: also what
    only the type checker reads.
    """
    home = ("forumsvc", *(parts if is_package else parts[:-1]))
    tree = ast.parse(source)
    unread = {
        inner
        for node in ast.walk(tree)
        if not with_types and isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for statement in node.body
        for inner in ast.walk(statement)
    }
    found: set[tuple[str, ...]] = set()
    for node in ast.walk(tree):
        if node in unread:
            continue
        if isinstance(node, ast.Import):
            found |= {tuple(alias.name.split(".")) for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = home[: len(home) - node.level + 1] if node.level else ()
            base += tuple(node.module.split(".")) if node.module else ()
            found |= {(*base, alias.name) for alias in node.names}
    return {full[1:] for full in found if full[0] == "forumsvc"}


def goes_down(importer: str, full: tuple[str, ...]) -> bool:
    """Return whether an import is of a lower floor, or of the importer's own package."""
    imported = full[0] if full and full[0] in FLOOR_OF else "__init__"
    return importer == imported or FLOOR_OF[imported] < FLOOR_OF[importer]


def _parts(path: Path) -> tuple[str, ...]:
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return parts[:-1] if parts[-1] == "__init__" else parts


def test_every_part_of_the_package_has_a_floor():
    there = {(_parts(path) or ("__init__",))[0] for path in MODULES}
    assert there - set(FLOOR_OF) == set()


def test_imports_go_down():
    wrong = [
        (str(path.relative_to(PACKAGE)), one)
        for path in MODULES
        for one in imports_of(path.read_text(), _parts(path), path.name == "__init__.py")
        if not goes_down((_parts(path) or ("__init__",))[0], one)
    ]
    assert wrong == []


@each(
    "source",
    [
        "from ..views.topics import show",
        "from .. import views",
        "import forumsvc.views.topics",
        "def f():\n    from forumsvc.views import topics",
    ],
)
def test_an_import_that_goes_up_is_seen_however_it_is_written(source):
    [found] = imports_of(source, ("services", "topics"), is_package=False)
    assert found[0] == "views"
    assert not goes_down("services", found)


def test_no_two_modules_import_each_other_even_inside_functions():
    modules = {_parts(path): path for path in MODULES}
    graph = {
        ".".join(parts): {
            ".".join(imported)
            for one in imports_of(
                path.read_text(), parts, path.name == "__init__.py", with_types=False
            )
            for imported in [_module_of(one, set(modules))]
            if imported != parts
        }
        for parts, path in modules.items()
    }
    TopologicalSorter(graph).prepare()  # raises CycleError, which names the modules


def _module_of(name: tuple[str, ...], modules: set[tuple[str, ...]]) -> tuple[str, ...]:
    """Return the module of an imported name: the name itself or what it is in."""
    return name if name in modules else _module_of(name[:-1], modules)


def test_files_are_small():
    lines = {str(path.relative_to(PACKAGE)): path.read_text().count("\n") for path in MODULES}
    assert {path: count for path, count in lines.items() if count > 300} == {}


def test_every_database_is_opened_with_the_cache_told_of_its_writes():
    makers = [
        str(path.relative_to(PACKAGE))
        for path in MODULES
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] == "Database"
    ]
    assert makers == ["cache/database.py"]
