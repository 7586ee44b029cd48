"""What a benchmark found, as text."""

import os
import platform
import subprocess
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

from benchmarks.measure import Result

LIBRARIES = ("pyramid", "waitress", "SQLAlchemy", "psycopg", "orjson")
HEAD = (
    "server",
    "endpoint",
    "caller",
    "requests/s",
    "p50 ms",
    "p99 ms",
    "of the empty view",
    "aim",
    "server CPU ms",
    "database CPU ms",
    "errors",
)
TEXT_COLUMNS = 3


def rows(results: Sequence[Result]) -> list[tuple[str, ...]]:
    """Return the table's lines, the head first."""
    return [HEAD, *map(_row, results)]


def markdown(table: Sequence[Sequence[str]]) -> str:
    """Write a table in Markdown, which reads well on a terminal, too."""
    widths = [max(len(row[column]) for row in table) for column in range(len(table[0]))]
    rule = ["-" * width for width in widths[:TEXT_COLUMNS]]
    rule += ["-" * (width - 1) + ":" for width in widths[TEXT_COLUMNS:]]
    lines = []
    for row in (table[0], rule, *table[1:]):
        cells = [
            cell.ljust(width) if column < TEXT_COLUMNS else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def machine() -> str:
    """Describe the machine and what runs on it, in one line."""
    cpuinfo = Path("/proc/cpuinfo")
    models = [
        line.partition(":")[2].strip()
        for line in (cpuinfo.read_text().splitlines() if cpuinfo.exists() else [])
        if line.startswith("model name")
    ]
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 1e9
    libraries = ", ".join(f"{name} {version(name)}" for name in LIBRARIES)
    return (
        f"{models[0] if models else platform.machine()}, {len(os.sched_getaffinity(0))} cores, "
        f"{memory:.0f} GB; {platform.system()} {platform.release()}; "
        f"Python {platform.python_version()}, {libraries}"
    )


def wrk_version() -> str:
    """Return wrk's version, as it says it."""
    said = subprocess.run(["wrk", "-v"], capture_output=True, text=True, check=False).stdout
    return "wrk " + said.partition("wrk ")[2].split(" ")[0]


def _row(result: Result) -> tuple[str, ...]:
    """Return one line."""
    endpoint = result.subject.endpoint
    database = result.database_ms
    return (
        result.subject.server.name,
        endpoint.name,
        endpoint.caller,
        f"{result.rate:,.0f}",
        f"{1000 * result.median(lambda sample: sample.burst.p50):.1f}",
        f"{1000 * result.median(lambda sample: sample.burst.p99):.1f}",
        f"{result.ratio:.{2 if result.ratio >= 0.1 else 3}f}",
        f"{endpoint.aim:.2f}" if endpoint.aim and result.subject.database else "",
        f"{result.server_ms:.2f}",
        "" if database is None else f"{database:.2f}",
        str(result.errors),
    )
