"""The work of a large community's day in minutes: `python -m benchmarks.soak --requests 1000000`.

A real server process serves mixed reads and writes of many members. Its memory and latency must
stay constant, there must be no errors, and every counter must be correct at the end.
"""

import argparse
import asyncio
import sys
import time
from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks import figure, machine
from benchmarks.community import Community, fill, forumsvc
from benchmarks.connection import Connection
from benchmarks.program import (
    leave_server_core,
    new_database,
    options_parser,
    publish,
    size_of,
    workspace,
)
from benchmarks.servers import Server, forum_settings, serve, write_ini
from benchmarks.table import markdown
from benchmarks.usage import cpu_seconds, resident_megabytes, worker_pids
from benchmarks.workload import MEMBERS, Step, Workload, handle_response

PARTS = 10
MAX_MEGABYTES = 150.0
MAX_GROWTH = 1.5
"""Of the median latency, from the second tenth to the last."""
PART = "soak"
HEAD = (
    *("tenth", "requests/s", "reads p50 ms", "p99", "writes p50 ms", "p99", "longest"),
    *("server CPU ms", "MB", "errors"),
)


@dataclass
class Tenth:
    """The results of a tenth of the requests. reads, writes: latencies in seconds."""

    reads: list[float] = field(default_factory=list)
    writes: list[float] = field(default_factory=list)
    errors: int = 0
    seconds: float = 0.0
    cpu: float = 0.0
    megabytes: float = 0.0

    @property
    def number(self) -> int:
        """The number of responses."""
        return len(self.reads) + len(self.writes)


class Soak:
    """Sends the steps of a workload, and records the results in tenths."""

    def __init__(self, server: Server, workload: Workload, requests: int) -> None:
        self.tenths: list[Tenth] = []
        self.errors: Counter[str] = Counter()
        self._server = server
        self._workload = workload
        self._left = requests
        self._each = max(1, requests // PARTS)
        self._tenth = Tenth()
        self._began, self._used = time.monotonic(), cpu_seconds(server.pid)

    def next(self) -> Step | None:
        """Return the next step, None at the end."""
        self._left -= 1
        return self._workload.next() if self._left >= 0 else None

    def on_response(
        self, step: Step, status: int, head: bytes, body: bytes, seconds: float
    ) -> None:
        """Record a response."""
        tenth = self._tenth
        (tenth.writes if step.writes else tenth.reads).append(seconds)
        if not handle_response(step, status, head, body):
            self.count_error(f"{step.request.method} {step.request.path}: {status} {body[:200]!r}")
        if tenth.number >= self._each:
            self._next_tenth()

    def count_error(self, what: str) -> None:
        self._tenth.errors += 1
        self.errors[what] += 1

    def _next_tenth(self) -> None:
        """Finish a tenth and start the next."""
        tenth, self._tenth = self._tenth, Tenth()
        now, used = time.monotonic(), cpu_seconds(self._server.pid)
        tenth.seconds, tenth.cpu = now - self._began, used - self._used
        tenth.megabytes = max(map(resident_megabytes, worker_pids(self._server.pid)))
        self._began, self._used = now, used
        self.tenths.append(tenth)
        rate = tenth.number / tenth.seconds
        print(f"{len(self.tenths)} of {PARTS}: {rate:,.0f}/s, {tenth.megabytes:.0f} MB", flush=True)


class Client(Connection):
    """A connection of a client that performs the steps of the workload."""

    def __init__(self, soak: Soak, port: int, done: "asyncio.Future[None]") -> None:
        super().__init__(port)
        self._soak = soak
        self._host = f"127.0.0.1:{port}"
        self._done = done
        self._step: Step | None = None

    def next_request(self) -> bytes | None:
        self._step = self._soak.next()
        return self._step.request.raw(self._host) if self._step else None

    def on_response(self, status: int, head: bytes, body: bytes, seconds: float) -> None:
        assert self._step
        self._soak.on_response(self._step, status, head, body, seconds)

    def on_disconnect(self) -> bool:
        """Count a connection that was lost before the end."""
        if self._step is None:
            self._done.set_result(None)
            return False
        self._soak.count_error(f"cut: {self._step.request.method} {self._step.request.path}")
        return True


async def run(soak: Soak, port: int, connections: int) -> None:
    """Send everything."""
    ends = [asyncio.get_running_loop().create_future() for _ in range(connections)]
    for end in ends:
        await Client(soak, port, end).open()
    await asyncio.gather(*ends)


def main() -> int:
    """Run and report; 0 if all limits were kept."""
    options = _options()
    where = machine.describe()
    with workspace() as (folder, stack):
        ini = _prepare(options, folder, stack)
        with serve("forum", ini, options.processes) as server:
            at_rest = max(map(resident_megabytes, worker_pids(server.pid)))
            community = Community(options.url, MEMBERS)
            stack.callback(community.close)
            leave_server_core()
            soak = Soak(server, Workload(community, options.seed), options.requests)
            asyncio.run(run(soak, server.port, options.connections))
            log_tail = server.log_tail
        checked = forumsvc(ini, "db", "check", refused=True)
    text = report(soak.tenths, at_rest, checked)
    text += (
        f"\n\n{options.requests:,} requests of {MEMBERS} members and strangers on "
        f"{options.connections} connections to {options.processes} process(es), "
        f"{options.database}; {where}."
    )
    publish(text, PART, options.markdown)
    for what, many in soak.errors.most_common(20):
        print(f"{many} times: {what}")
    if soak.errors:
        print(log_tail)
    if options.markdown:
        figure.draw(options.markdown)
    broken = [what for what, _, kept in _bounds(soak.tenths, checked) if kept != "kept"]
    return int(bool(broken or soak.errors))


def _options() -> argparse.Namespace:
    parser = options_parser("soak", __doc__)
    parser.add_argument("--requests", type=int, default=1_000_000)
    parser.add_argument("--connections", type=int, default=16)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--database", choices=["sqlite", "postgresql"], default="postgresql")
    parser.add_argument("--url", help="of a filled PostgreSQL of this machine, to be used instead")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def _prepare(options: argparse.Namespace, folder: Path, stack: ExitStack) -> Path:
    """Prepare a filled database, whose URL is stored in the options; return the forum's ini."""
    size = None if options.url else size_of(options)
    options.url = options.url or new_database(options.database, folder, stack)
    settings = forum_settings(folder, options.url)
    ini = write_ini(folder, "forum", settings, processes=options.processes)
    fill(ini, size)
    return ini


def report(tenths: list[Tenth], at_rest: float, checked: dict[str, Any]) -> str:
    """Return the table and the results of the limits."""
    rows: list[tuple[str, ...]] = [HEAD]
    for number, tenth in enumerate(tenths, 1):
        reads, writes = _quantiles(tenth.reads), _quantiles(tenth.writes)
        longest = max([0.0, *tenth.reads, *tenth.writes])
        rows.append(
            (
                str(number),
                f"{tenth.number / tenth.seconds:,.0f}",
                *(f"{1000 * one:.1f}" for one in (*reads, *writes, longest)),
                f"{1000 * tenth.cpu / tenth.number:.2f}",
                f"{tenth.megabytes:.0f}",
                str(tenth.errors),
            )
        )
    bounds = markdown([("bound", "seen", ""), *_bounds(tenths, checked)])
    return f"{markdown(rows, text_columns=0)}\n\n{at_rest:.0f} MB at rest.\n\n{bounds}"


def _bounds(tenths: list[Tenth], checked: dict[str, Any]) -> list[tuple[str, str, str]]:
    """Return each limit, the measured value, and whether it was kept."""
    early, late = tenths[min(1, len(tenths) - 1)], tenths[-1]
    errors = sum(tenth.errors for tenth in tenths)
    largest = max(tenth.megabytes for tenth in tenths)
    growth = max(_growth(early.reads, late.reads), _growth(early.writes, late.writes))
    wrong = checked["wrong"]
    found = [
        ("errors: 0", str(errors), errors == 0),
        (f"MB: under {MAX_MEGABYTES:.0f}", f"{largest:.0f}", largest < MAX_MEGABYTES),
        (f"p50, last tenth of second: under {MAX_GROWTH}", f"{growth:.2f}", growth < MAX_GROWTH),
        (f"wrong of {checked['checked']:,} counters: 0", str(wrong), wrong == 0),
    ]
    return [(what, seen, "kept" if kept else "broken") for what, seen, kept in found]


def _growth(early: list[float], late: list[float]) -> float:
    """Return the ratio of two medians; 0 if one of the lists is empty, as in a very short run."""
    return _quantiles(late)[0] / _quantiles(early)[0] if early and late else 0.0


def _quantiles(latencies: list[float]) -> tuple[float, float]:
    """Return the median and the 99th percentile."""
    ordered = sorted(latencies) or [0.0]
    return ordered[len(ordered) // 2], ordered[len(ordered) * 99 // 100]


if __name__ == "__main__":
    sys.exit(main())
