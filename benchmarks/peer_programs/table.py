"""The tables of `benchmarks.peers`: all figures, and the best of each forum for the README."""

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.peer_programs.peer import ENDPOINTS

HEAD = (
    *("forum", "endpoint", "processes", "requests/s", "p50 ms", "p99 ms"),
    *("CPU ms", "MB", "start s", "errors"),
)
SUMMARY_HEAD = ("", *(f"{name}, a second" for name in ENDPOINTS), "memory, MB", "start, s")


@dataclass(frozen=True)
class Figures:
    """What was measured of an endpoint.

    p50, p99: seconds; cpu_ms: processor time of a request, PostgreSQL's included; megabytes: of all
    processes but PostgreSQL's; start: seconds until the first answer of one process.
    """

    forum: str
    endpoint: str
    processes: int
    rate: float
    p50: float
    p99: float
    cpu_ms: float
    megabytes: float
    start: float
    errors: int

    def row(self) -> tuple[str, ...]:
        """Return it as a row of the whole table."""
        return (
            *(self.forum, self.endpoint, str(self.processes), f"{self.rate:.1f}"),
            *(f"{1000 * self.p50:.1f}", f"{1000 * self.p99:.1f}", f"{self.cpu_ms:.2f}"),
            *(f"{self.megabytes:.0f}", f"{self.start:.1f}", str(self.errors)),
        )


def read(path: Path) -> list[Figures]:
    """Read the whole table from its file."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    if tuple(rows[0]) != HEAD:
        raise ValueError(f"{path} is another table: {rows[0]}")
    return [
        Figures(
            forum=row[0],
            endpoint=row[1],
            processes=int(row[2]),
            rate=float(row[3]),
            p50=float(row[4]) / 1000,
            p99=float(row[5]) / 1000,
            cpu_ms=float(row[6]),
            megabytes=float(row[7]),
            start=float(row[8]),
            errors=int(row[9]),
        )
        for row in rows[1:]
    ]


def summary(figures: Sequence[Figures]) -> list[tuple[str, ...]]:
    """Return a row for each forum: its best rates, and memory and start of one process."""
    rows = [SUMMARY_HEAD]
    for forum in dict.fromkeys(one.forum for one in figures):
        own = [one for one in figures if one.forum == forum]
        single = [one for one in own if one.processes == 1]
        best = [max(one.rate for one in own if one.endpoint == name) for name in ENDPOINTS]
        rows.append(
            (
                forum,
                *(f"{rate:,.0f}" if rate >= 10 else f"{rate:.1f}" for rate in best),
                f"{max(one.megabytes for one in single):.0f}",
                f"{single[0].start:.1f}",
            )
        )
    return rows
