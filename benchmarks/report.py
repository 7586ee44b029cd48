"""The report of a benchmark: the targets, and a table for each load."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from benchmarks.endpoints import TWO_PROCESSES_TARGET
from benchmarks.measure import Result
from benchmarks.table import markdown

HEAD = (
    *("endpoint", "caller", "requests/s", "p50 ms", "p99 ms"),
    *("of the Pyramid baseline", "of the asyncpg baseline", "of one process"),
    *("server CPU ms", "database CPU ms", "cores busy", "MB", "errors"),
)
TARGET_HEAD = ("what", "least", "measured", "")
TARGET_PROCESSES, TARGET_CONNECTIONS = 1, 16
MAX_IDLE_MEGABYTES = 110.0
"""Memory in MB that a server process may have before the load."""


def text(results: Sequence[Result], at_rest: Mapping[str, float]) -> str:
    """Return the report without the conditions. at_rest: MB by the server's name."""
    targets = markdown([TARGET_HEAD, *_targets(results, at_rest)], text_columns=1)
    return "\n\n".join([targets, *_tables(results)])


def _tables(results: Sequence[Result]) -> Iterator[str]:
    """Yield a title and a table for each server and load."""
    for (name, processes, connections), group in groupby(results, _load):
        plural = "" if processes == 1 else "es"
        yield f"**{name}**, {processes} process{plural}, {connections} connections"
        yield markdown([HEAD, *(_row(result, results) for result in group)], text_columns=2)


def _load(result: Result) -> tuple[str, int, int]:
    subject = result.subject
    return subject.server.name, subject.server.processes, subject.connections


def _row(result: Result, results: Sequence[Result]) -> tuple[str, ...]:
    endpoint = result.subject.endpoint
    return (
        endpoint.name,
        endpoint.caller,
        f"{result.rate:,.0f}",
        f"{1000 * result.median(lambda sample: sample.burst.p50):.1f}",
        f"{1000 * result.median(lambda sample: sample.burst.p99):.1f}",
        _ratio(result.ratio),
        _ratio(result.asyncpg_ratio),
        _ratio(_of_one_process(result, results)),
        f"{result.server_ms:.2f}",
        "" if result.database_ms is None else f"{result.database_ms:.2f}",
        f"{result.cores:.2f}",
        f"{result.megabytes:.0f}",
        str(result.errors),
    )


def _of_one_process(result: Result, results: Sequence[Result]) -> float | None:
    """Return the rate relative to the same endpoint with one process, None if it is missing.

    Both were measured in each round.
    """
    name, processes, connections = _load(result)
    if processes == 1:
        return None
    alone = [
        other
        for other in results
        if _load(other) == (name, 1, connections)
        and other.subject.endpoint.name == result.subject.endpoint.name
        and other.subject.endpoint.caller == result.subject.endpoint.caller
    ]
    if not alone:
        return None
    pairs = zip(result.samples, alone[0].samples, strict=True)
    ratios = sorted(sample.burst.rate / other.burst.rate for sample, other in pairs)
    return ratios[len(ratios) // 2]


def _targets(results: Sequence[Result], at_rest: Mapping[str, float]) -> Iterator[tuple[str, ...]]:
    """Yield the targets of the forum on PostgreSQL with their results."""
    for result in results:
        subject, target = result.subject, result.subject.endpoint.target
        if target is None or subject.database is None or subject.connections != TARGET_CONNECTIONS:
            continue
        what = f"{subject.endpoint.name}, {subject.endpoint.caller}"
        if subject.server.processes == TARGET_PROCESSES:
            yield _target_row(f"{what}: of the Pyramid baseline", target.pyramid, result.ratio)
            if target.asyncpg is not None and result.asyncpg_ratio is not None:
                yield _target_row(
                    f"{what}: of the asyncpg baseline", target.asyncpg, result.asyncpg_ratio
                )
        elif (gained := _of_one_process(result, results)) is not None:
            name = f"{what}: {subject.server.processes} processes, of one"
            yield _target_row(name, TWO_PROCESSES_TARGET, gained)
    for server, megabytes in at_rest.items():
        reached = "reached" if megabytes < MAX_IDLE_MEGABYTES else "short"
        yield f"{server}: MB at rest", f"< {MAX_IDLE_MEGABYTES:.0f}", f"{megabytes:.0f}", reached


def _target_row(what: str, least: float, measured: float) -> tuple[str, ...]:
    return what, _ratio(least), _ratio(measured), "reached" if measured >= least else "short"


def _ratio(ratio: float | None) -> str:
    return "" if ratio is None else f"{ratio:.{2 if ratio >= 0.1 else 3}f}"
