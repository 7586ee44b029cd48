"""Measures the service behind a PgBouncer beside one without: `python -m benchmarks.pooler`.

Both run at the same time on one PostgreSQL and are measured by turns. It needs a pgbouncer.
"""

import sys
from contextlib import ExitStack

from benchmarks import load, machine
from benchmarks.community import fill
from benchmarks.machinery import CONNECTIONS, HEAD, READS, REPLIES, Comparison, Measurement, Variant
from benchmarks.program import (
    leave_server_core,
    new_database,
    options_parser,
    publish,
    size_of,
    workspace,
)
from benchmarks.servers import forum_settings, write_ini
from benchmarks.table import markdown
from forumsvc.db.connection_options import Pooler
from tests import pgbouncer

PART = "pooler"
MODES: tuple[Pooler, ...] = ("session", "transaction")


def main() -> int:
    """Measure and print the table; 0 if there were no errors."""
    parser = options_parser("pooler", __doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1.0, help="of one burst of load")
    parser.add_argument("--driver", choices=["auto", "wrk", "python"], default="auto")
    options = parser.parse_args()
    driver, make_load = load.choose(options.driver)
    where = machine.describe()
    leave_server_core()
    version = ".".join(map(str, pgbouncer.version()))
    rows: list[tuple[str, ...]] = []
    errors = 0
    with workspace() as (folder, stack):
        url = new_database("postgresql", folder, stack)
        fill(write_ini(folder, "filling", forum_settings(folder, url)), size_of(options))
        for mode in MODES:
            print(mode, flush=True)
            with pgbouncer.running(url, mode) as pooler, ExitStack() as servers:
                comparison = Comparison(
                    Variant(f"PgBouncer {version}, {mode}", settings=pooler.settings()),
                    Variant("direct"),
                    (*READS, *REPLIES),
                )
                measurement = Measurement(comparison, folder, url, servers)
                errors += measurement.run(make_load, options.rounds, options.seconds)
                rows += measurement.rows("postgresql")
    text = (
        f"{markdown([HEAD, *rows], text_columns=5)}\n\nMedians of {options.rounds} rounds by turns "
        f"of {options.seconds:g} s; {CONNECTIONS} connections, load by {driver}; {options.topics:,}"
        f" topics, {options.replies:,} replies. Machine: {where}."
    )
    publish(text, PART, options.markdown)
    return int(errors > 0)


if __name__ == "__main__":
    sys.exit(main())
