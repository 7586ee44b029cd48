"""Fills and checks a database of a million topics, and explains every list.

`python -m benchmarks.scale`

A PostgreSQL of its own holds a small and a large community, both created by `forumsvc demo`; the
cost of each list in one is compared with the other. It needs about 20 GB of disk.
"""

import argparse
import signal
import sys
import tempfile
import time
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import psycopg

from benchmarks import document, machine, plans
from benchmarks.community import Size, fill, forumsvc
from benchmarks.servers import forum_settings, write_ini
from benchmarks.table import markdown
from tests import postgres

SMALL = Size(1_000, 10_000, 100_000)
PART = "scale"
HEAD = (
    *("users", "topics", "replies", "rows in all", "GB", "filled in s", "checked in s"),
    "wrong counters",
)


@dataclass(frozen=True)
class FilledDatabase:
    """A database and how it came about. seconds: of filling; line: of the table."""

    url: str
    seconds: float
    line: tuple[str, ...]


def main() -> int:
    """Fill, check and explain; 0 if there are no errors and all limits are kept."""
    options = _options()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="forumsvc-scale-")))
        base = postgres.server(folder, postgres.DURABLE)
        stack.callback(postgres.release, folder, wait=60)
        sizes = {
            "small": SMALL,
            "large": Size(options.users, options.topics, options.replies),
        }
        made = {name: fill_database(folder, base, name, size) for name, size in sizes.items()}
        text = markdown([HEAD, *(one.line for one in made.values())], text_columns=0)
        text += f"\n\n{machine.describe()}."
        print(text)
        if options.markdown:
            document.replace_part(options.markdown, PART, text)
        within = plans.report(made["large"].url, made["small"].url, markdown_file=options.markdown)
        if options.keep:
            print(f"The large one is at {made['large'].url} until you press Ctrl-C.", flush=True)
            signal.sigwait([signal.SIGINT, signal.SIGTERM])
    return int(not within or any(one.line[-1] != "0" for one in made.values()))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale", description=__doc__)
    parser.add_argument("--users", type=int, default=100_000)
    parser.add_argument("--topics", type=int, default=1_000_000)
    parser.add_argument("--replies", type=int, default=10_000_000)
    parser.add_argument("--keep", action="store_true", help="keep the databases until Ctrl-C")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write the tables there, too")
    return parser.parse_args()


def fill_database(folder: Path, base: str, name: str, size: Size) -> FilledDatabase:
    """Make a database, fill it and check it. base: any database of the server."""
    url = postgres.create_database(base, name)
    settings = forum_settings(folder, url)
    ini = write_ini(folder, name, "forumsvc:main", settings, threads=1, processes=1)
    print(f"filling {name}: {size}", flush=True)
    began = time.monotonic()
    fill(ini, size)
    full = time.monotonic()
    checked = forumsvc(ini, "db", "check", refused=True)
    seconds, checking = full - began, time.monotonic() - full
    with psycopg.connect(url.replace("+psycopg", "")) as connection:
        # Index-only scans of rows filled by COPY need a VACUUM first.
        connection.autocommit = True
        connection.execute("VACUUM ANALYZE")
        row = connection.execute("SELECT pg_database_size(current_database())").fetchone()
        rows = connection.execute("SELECT sum(reltuples) FROM pg_class WHERE relkind = 'r'")
        many = rows.fetchone()
    assert row
    assert many
    figures = (
        *(f"{number:,}" for number in (size.users, size.topics, size.replies)),
        f"{many[0]:,.0f}",
        f"{row[0] / 1e9:.1f}",
        *(f"{one:.0f}" for one in (seconds, checking)),
        str(checked["wrong"]),
    )
    return FilledDatabase(url, seconds, figures)


if __name__ == "__main__":
    sys.exit(main())
