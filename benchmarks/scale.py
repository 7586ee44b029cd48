"""Fills and checks a database of a million topics, and explains every list.

`python -m benchmarks.scale`

A PostgreSQL of its own holds a small and a large community, both created by `forumsvc demo`; the
cost of each list in one is compared with the other. It needs about 20 GB of disk.
"""

import signal
import sys
import time
from pathlib import Path

import psycopg

from benchmarks import machine, plans
from benchmarks.community import fill, forumsvc
from benchmarks.program import SMALL, new_postgresql, options_parser, publish, size_of, workspace
from benchmarks.servers import forum_settings, write_ini
from benchmarks.table import markdown
from forumsvc.demo import Size
from tests import postgres

LARGE = Size(100_000, 1_000_000, 10_000_000)
PART = "scale"
HEAD = (
    *("users", "topics", "replies", "rows in all", "GB", "filled in s", "checked in s"),
    "wrong counters",
)


def main() -> int:
    """Fill, check and explain; 0 if there are no errors and all limits are kept."""
    parser = options_parser("scale", __doc__, LARGE)
    parser.add_argument("--keep", action="store_true", help="keep the databases until Ctrl-C")
    options = parser.parse_args()
    with workspace() as (folder, stack):
        base = new_postgresql(folder, stack)
        small, small_row = fill_database(folder, base, "small", SMALL)
        large, large_row = fill_database(folder, base, "large", size_of(options))
        table = markdown([HEAD, small_row, large_row], text_columns=0)
        publish(f"{table}\n\n{machine.describe()}.", PART, options.markdown)
        within = plans.report(large, small, markdown_file=options.markdown)
        if options.keep:
            print(f"The large one is at {large} until you press Ctrl-C.", flush=True)
            signal.sigwait([signal.SIGINT, signal.SIGTERM])
    return int(not within or any(row[-1] != "0" for row in (small_row, large_row)))


def fill_database(folder: Path, base: str, name: str, size: Size) -> tuple[str, tuple[str, ...]]:
    """Make a database, fill it and check it; return its URL and its row of the table.

    base: any database of the server.
    """
    url = postgres.create_database(base, name)
    ini = write_ini(folder, name, forum_settings(folder, url))
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
    return url, figures


if __name__ == "__main__":
    sys.exit(main())
