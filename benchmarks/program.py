"""What the benchmarks share: options, a place to work, and where their table goes."""

import argparse
import os
import signal
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from benchmarks import document
from forumsvc.demo import Size
from tests import postgres

SMALL = Size(1_000, 10_000, 100_000)


def options_parser(
    name: str, description: str | None, size: Size = SMALL
) -> argparse.ArgumentParser:
    """Return a parser of the options that benchmarks share. size: of the community, by default."""
    parser = argparse.ArgumentParser(prog=f"python -m benchmarks.{name}", description=description)
    for what in ("users", "topics", "replies"):
        parser.add_argument(f"--{what}", type=int, default=getattr(size, what))
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write the table there, too")
    return parser


def size_of(options: argparse.Namespace) -> Size:
    """Return the size of the community in the options."""
    return Size(options.users, options.topics, options.replies)


@contextmanager
def workspace() -> Iterator[tuple[Path, ExitStack]]:
    """Yield a temporary folder, and a stack of what must end with the benchmark, by SIGTERM too."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    with ExitStack() as stack:
        yield (
            Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="forumsvc-bench-"))),
            stack,
        )


def new_database(kind: str, folder: Path, stack: ExitStack) -> str:
    """Return the URL of an empty database: a file in the folder, or one of a new PostgreSQL."""
    if kind == "sqlite":
        return f"sqlite:///{folder}/forum.sqlite"
    return postgres.create_database(new_postgresql(folder, stack), "forum")


def new_postgresql(folder: Path, stack: ExitStack) -> str:
    """Start a PostgreSQL that ends with the stack; return the URL of one of its databases."""
    base = postgres.server(folder, postgres.DURABLE)
    stack.callback(postgres.release, folder, wait=60)
    return base


def leave_server_core() -> None:
    """Move this process and the load generators away from the core of single-process servers."""
    cores = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, cores[:-1] or cores)


def publish(text: str, part: str, file: Path | None) -> None:
    """Print a table, and write it into its part of a Markdown file, if one is given."""
    print(f"\n{text}")
    if file:
        document.replace_part(file, part, text)
