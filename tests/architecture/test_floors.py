"""Imports go down: a module imports what is on lower floors, and what is in its own package."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from graphlib import TopologicalSorter
from pathlib import Path

import forumsvc
from tests.cases import each

PACKAGE = Path(forumsvc.__file__).parent
FLOORS: list[set[str]] = [
    {"texts", "unicode_forms", "ip_addresses"},
    {"errors", "permissions", "ids", "clock", "settings", "cpu_affinity", "process_name"}
    | {
        "passwords",
        "password_strength",
        "text_rules",
        "serving",
        "email_addresses",
    },
    {"sandbox", "search"},
    {"db", "markup", "media", "mail", "webhooks", "log_lines"},
    {"models", "migrate"},
    {"cache"},
    {"database", "registry"},
    {"queries"},
    {"services", "oauth"},
    {"security", "demo"},
    {"resources"},
    {"schemas", "presenters", "openapi"},
    {"web"},
    {"background"},
    {"doctor"},
    {"views", "pages", "cli", "examples"},
    {"__init__"},
]
"""From the ground up. Whoever stands beside each other on a floor does not import the other."""

FLOOR_OF = {name: height for height, floor in enumerate(FLOORS) for name in floor}
MODULES = sorted(PACKAGE.rglob("*.py"))


@dataclass(frozen=True)
class Import:
    """That one module imports from another, both by the package's first name in them.

    full: the imported name with all its packages.
    """

    where: str
    importer: str
    imported: str
    full: tuple[str, ...]

    @property
    def goes_down(self) -> bool:
        """Whether the imported one is on a lower floor, or the importer's own package."""
        own = self.importer == self.imported
        return own or FLOOR_OF[self.imported] < FLOOR_OF[self.importer]


def imports_of(source: str, parts: tuple[str, ...], is_package: bool) -> Iterator[Import]:
    """Yield what a module imports from the package, but for what only the type checker reads.

    parts: the module's path inside the package, without a final `__init__`.
    """
    importer = parts[0] if parts else "__init__"
    home = ("forumsvc", *parts) if is_package else ("forumsvc", *parts[:-1])
    where = "/".join(parts) or "__init__"
    tree = ast.parse(source)
    unread = {inner for node in ast.walk(tree) if _is_typing_only(node) for inner in _inside(node)}
    for node in ast.walk(tree):
        if node in unread:
            continue
        for full in _named(node, home):
            if full[0] == "forumsvc":
                line = node.lineno  # type: ignore[attr-defined]  # an import has it
                yield Import(f"{where}:{line}", importer, full[1], full)


def _named(node: ast.AST, home: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    if isinstance(node, ast.Import):
        for alias in node.names:
            yield (*alias.name.split("."), "__init__")
    elif isinstance(node, ast.ImportFrom):
        base = home[: len(home) - node.level + 1] if node.level else ()
        base += tuple((node.module or "").split(".")) if node.module else ()
        for alias in node.names:
            named = (*base, alias.name)
            # `from . import x` names a module; anything else that the top offers is its own.
            is_top = len(base) == 1 and alias.name not in FLOOR_OF
            yield ("forumsvc", "__init__") if is_top and base[0] == "forumsvc" else named


def _is_typing_only(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"


def _inside(node: ast.AST) -> Iterator[ast.AST]:
    assert isinstance(node, ast.If)
    for statement in node.body:
        yield from ast.walk(statement)


def _parts(path: Path) -> tuple[str, ...]:
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return parts[:-1] if parts[-1] == "__init__" else parts


def test_every_part_of_the_package_has_a_floor() -> None:
    there = {(_parts(path) or ("__init__",))[0] for path in MODULES}
    assert there - set(FLOOR_OF) == set()


def test_imports_go_down() -> None:
    wrong = [
        (str(path.relative_to(PACKAGE)), one)
        for path in MODULES
        for one in imports_of(path.read_text(), _parts(path), path.name == "__init__.py")
        if not one.goes_down
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
def test_an_import_that_goes_up_is_seen_however_it_is_written(source: str) -> None:
    found = imports_of(source, ("services", "topics"), is_package=False)
    assert [one.imported for one in found if not one.goes_down] == ["views"]


def test_no_two_modules_import_each_other_even_inside_functions() -> None:
    modules = {_parts(path): path for path in MODULES}
    graph = {
        ".".join(parts): {
            ".".join(imported)
            for one in imports_of(path.read_text(), parts, path.name == "__init__.py")
            for imported in [_module_of(one.full, set(modules))]
            if imported != parts
        }
        for parts, path in modules.items()
    }
    TopologicalSorter(graph).prepare()  # raises CycleError, which names the modules


def _module_of(full: tuple[str, ...], modules: set[tuple[str, ...]]) -> tuple[str, ...]:
    """Return the module of an imported name: the name itself or what it is in."""
    inner = full[1:]
    while inner not in modules:
        inner = inner[:-1]
    return inner


def test_files_are_small() -> None:
    lines = {str(path.relative_to(PACKAGE)): path.read_text().count("\n") for path in MODULES}
    assert {path: count for path, count in lines.items() if count > 300} == {}


def test_every_database_is_opened_with_the_cache_told_of_its_writes() -> None:
    makers = [
        str(path.relative_to(PACKAGE))
        for path in MODULES
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] == "Database"
    ]
    assert makers == ["database.py"]
