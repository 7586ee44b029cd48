"""What a benchmark found, as text: what is reached of the aims, and a table for each load."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from benchmarks.endpoints import PROCESSES_AIM
from benchmarks.measure import Result
from benchmarks.table import markdown

HEAD = (
    *("endpoint", "caller", "requests/s", "p50 ms", "p99 ms"),
    *("of the empty view", "of the yardstick", "of one process"),
    *("server CPU ms", "database CPU ms", "cores busy", "MB", "errors"),
)
AIM_HEAD = ("what", "least", "measured", "")
AIM_PROCESSES, AIM_CONNECTIONS = 1, 16
MOST_AT_REST = 110.0
"""MB that a server process may have at rest."""


def text(results: Sequence[Result], at_rest: Mapping[str, float]) -> str:
    """Return the whole report but for how it came about. at_rest: MB by the server's name."""
    aims = markdown([AIM_HEAD, *_aims(results, at_rest)], text_columns=1)
    return "\n\n".join([aims, *_tables(results)])


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
        _ratio(result.yardsticks),
        _ratio(_of_one_process(result, results)),
        f"{result.server_ms:.2f}",
        "" if result.database_ms is None else f"{result.database_ms:.2f}",
        f"{result.cores:.2f}",
        f"{result.megabytes:.0f}",
        str(result.errors),
    )


def _of_one_process(result: Result, results: Sequence[Result]) -> float | None:
    """Return the rate as a part of that of the same by one process, None where that is not there.

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


def _aims(results: Sequence[Result], at_rest: Mapping[str, float]) -> Iterator[tuple[str, ...]]:
    """Yield what is to be reached by PostgreSQL's forum beside what was measured."""
    for result in results:
        subject, aim = result.subject, result.subject.endpoint.aim
        if aim is None or subject.database is None or subject.connections != AIM_CONNECTIONS:
            continue
        what = f"{subject.endpoint.name}, {subject.endpoint.caller}"
        if subject.server.processes == AIM_PROCESSES:
            yield _aim(f"{what}: of the empty view", aim.empty, result.ratio)
            if aim.yardstick is not None and result.yardsticks is not None:
                yield _aim(f"{what}: of the yardstick", aim.yardstick, result.yardsticks)
        elif (gained := _of_one_process(result, results)) is not None:
            name = f"{what}: {subject.server.processes} processes, of one"
            yield _aim(name, PROCESSES_AIM, gained)
    for server, megabytes in at_rest.items():
        reached = "reached" if megabytes < MOST_AT_REST else "short"
        yield f"{server}: MB at rest", f"< {MOST_AT_REST:.0f}", f"{megabytes:.0f}", reached


def _aim(what: str, least: float, measured: float) -> tuple[str, ...]:
    return what, _ratio(least), _ratio(measured), "reached" if measured >= least else "short"


def _ratio(ratio: float | None) -> str:
    return "" if ratio is None else f"{ratio:.{2 if ratio >= 0.1 else 3}f}"
