"""What the benchmarks share: options, a place to work, and where their table goes."""

import argparse
import csv
import os
import platform
import signal
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from importlib.metadata import version
from pathlib import Path

from benchmarks.fill import Size
from tests import postgres

Rows = Sequence[Sequence[str]]


def options_parser(name: str, description: str | None) -> argparse.ArgumentParser:
    """Return a parser of the options that benchmarks share."""
    parser = argparse.ArgumentParser(prog=f"python -m benchmarks.{name}", description=description)
    for what, default in vars(Size()).items():
        parser.add_argument(f"--{what}", type=int, default=default)
    parser.add_argument("--csv", type=Path, metavar="FILE", help="write the table there, too")
    return parser


def size_of(options: argparse.Namespace) -> Size:
    """Return the size of the community in the options."""
    return Size(options.users, options.topics, options.replies)


@contextmanager
def workspace() -> Iterator[tuple[Path, ExitStack]]:
    """Yield a temporary folder, and a stack of what must end with the benchmark, by SIGTERM too."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="forumsvc-bench-"))
        yield Path(folder), stack


def new_database(kind: str, folder: Path, stack: ExitStack) -> str:
    """Return the URL of an empty database: a file in the folder, or one of a new PostgreSQL."""
    if kind == "sqlite":
        return f"sqlite:///{folder}/forum.sqlite"
    return postgres.create_database(new_postgresql(folder, stack), "forum")


def new_postgresql(folder: Path, stack: ExitStack, connections: int = 200) -> str:
    """Start a PostgreSQL that ends with the stack; return the URL of one of its databases."""
    settings = {**postgres.DURABLE, "max_connections": str(connections)}
    base = postgres.server(folder, settings)
    stack.callback(postgres.release, folder, wait=60)
    return base


def leave_server_core() -> None:
    """Move this process and the load generators away from the core of single-process servers."""
    cores = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, cores[:-1] or cores)


def publish(rows: Rows, text_columns: int, conditions: str, file: Path | None) -> None:
    """Print a table whose first row is its head, and the machine; write it as CSV, too.

    text_columns: how many of the columns, from the left, are text.
    """
    print(f"\n{markdown(rows, text_columns)}\n\n{conditions}; {_machine()}.")
    if file:
        with file.open("w", encoding="utf-8", newline="") as opened:
            csv.writer(opened, lineterminator="\n").writerows(rows)


def markdown(rows: Rows, text_columns: int) -> str:
    """Return a table that is also readable on a terminal."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    rule = ["-" * width for width in widths[:text_columns]]
    rule += ["-" * (width - 1) + ":" for width in widths[text_columns:]]
    lines = []
    for row in (rows[0], rule, *rows[1:]):
        cells = [
            cell.ljust(width) if column < text_columns else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def ratio(number: float | None) -> str:
    """Return a ratio as the tables write it."""
    return "" if number is None else f"{number:.{2 if number >= 0.1 else 3}f}"


def _machine() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text().splitlines() if cpuinfo.exists() else []
    models = [line.partition(": ")[2] for line in lines if line.startswith("model name")]
    libraries = ", ".join(
        f"{name} {version(name)}" for name in ("pyramid", "SQLAlchemy", "psycopg")
    )
    return (
        f"{models[0] if models else platform.machine()}, {os.cpu_count()} cores; "
        f"Python {platform.python_version()}, {libraries}"
    )
