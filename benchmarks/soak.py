"""The work of a large community's day in minutes: `python -m benchmarks.soak --requests 1000000`.

A real server process serves mixed reads and writes of many members. Its memory and latency must
stay constant, there must be no errors, and every counter must be correct at the end.
"""

import asyncio
import json
import random
import sys
import time
from collections import Counter, deque
from contextlib import suppress
from dataclasses import dataclass, field

from benchmarks import output
from benchmarks.endpoints import endpoints
from benchmarks.load import Connection, quantiles
from benchmarks.members import Members, fill, log_in
from benchmarks.request import API, Request, send
from benchmarks.servers import Server, cpu_seconds, forum_settings, forumsvc, serve, write_ini

PARTS = 10
MAX_MEGABYTES = 150.0
MAX_GROWTH = 1.5
"""Of the median latency, from the second tenth to the last."""
HEAD = (
    *("tenth", "requests/s", "reads p50 ms", "reads p99 ms", "writes p50 ms", "writes p99 ms"),
    *("longest ms", "server CPU ms", "MB", "errors"),
)
WEIGHTS = {"create reply": 3, "create topic": 1, "like, unlike": 3, "topic list": 24}
"""Of endpoints in the mix, by name; others: 2. There is no password in it, which costs 50 ms."""
CHANGES = 0.02
"""The part of the steps that edit or delete a reply that was just made, if there is one."""


@dataclass
class Tenth:
    """The results of a tenth of the requests. reads, writes: latencies in seconds."""

    reads: list[float] = field(default_factory=list)
    writes: list[float] = field(default_factory=list)
    errors: int = 0
    seconds: float = 0.0
    cpu: float = 0.0
    megabytes: float = 0.0


class Soak:
    """Chooses the requests, and records the results in tenths."""

    def __init__(self, server: Server, members: Members, requests: int) -> None:
        self.tenths: list[Tenth] = []
        self.errors: Counter[str] = Counter()
        self._server = server
        self._left, self._each = requests, max(1, requests // PARTS)
        self._rng = random.Random(1)  # noqa: S311 - no secret is made of it
        mix = [it for it in endpoints(server, members) if it.name != "password grant"]
        self._requests = [list(it.requests) for it in mix]
        self._weights = [WEIGHTS.get(it.name, 2) for it in mix]
        self._made: deque[Request] = deque(maxlen=1_000)
        self._tenth = Tenth()
        self._began, self._used = time.monotonic(), cpu_seconds(server.pid)

    def next(self) -> Request | None:
        """Return the next request, None at the end."""
        self._left -= 1
        if self._left < 0:
            return None
        if self._made and self._rng.random() < CHANGES:
            return self._made.popleft()
        return self._rng.choice(self._rng.choices(self._requests, self._weights)[0])

    def on_response(self, request: Request, status: int, body: bytes, seconds: float) -> None:
        """Record a response; remember how to change a reply that was made."""
        tenth = self._tenth
        (tenth.reads if request.method == "GET" else tenth.writes).append(seconds)
        if not 200 <= status < 400:
            self.count_error(f"{request.method} {request.path}: {status} {body[:200]!r}")
        elif request.method == "POST" and request.path.endswith("/replies"):
            token = request.headers["Authorization"].removeprefix("Bearer ")
            path = f"{API}/replies/{json.loads(body)['id']}"
            changed = send("POST", path, token, {"body": "Solved: it was the **timeout**."})
            self._made.append(self._rng.choice([changed, send("DELETE", path, token)]))
        if len(tenth.reads) + len(tenth.writes) >= self._each:
            self._next_tenth()

    def count_error(self, what: str) -> None:
        self._tenth.errors += 1
        self.errors[what] += 1

    def _next_tenth(self) -> None:
        tenth, self._tenth = self._tenth, Tenth()
        now, used = time.monotonic(), cpu_seconds(self._server.pid)
        tenth.seconds, tenth.cpu = now - self._began, used - self._used
        tenth.megabytes = self._server.megabytes
        self._began, self._used = now, used
        self.tenths.append(tenth)
        print(f"{len(self.tenths)} of {PARTS}: {tenth.megabytes:.0f} MB", flush=True)


class Client(Connection):
    """A connection of a client that sends the requests of the soak."""

    def __init__(self, soak: Soak, port: int, done: "asyncio.Future[None]") -> None:
        super().__init__(port)
        self._soak, self._host, self._done = soak, f"127.0.0.1:{port}", done
        self._request: Request | None = None

    def next_request(self) -> bytes | None:
        self._request = self._soak.next()
        return self._request.raw(self._host) if self._request else None

    def on_response(self, status: int, head: bytes, body: bytes, seconds: float) -> None:
        assert self._request
        self._soak.on_response(self._request, status, body, seconds)

    def on_disconnect(self) -> bool:
        """Count a connection that was lost before the end."""
        if self._request is None:
            with suppress(asyncio.InvalidStateError):
                self._done.set_result(None)
            return False
        self._soak.count_error(f"cut: {self._request.method} {self._request.path}")
        return True


async def run(soak: Soak, port: int, connections: int) -> None:
    """Send everything."""
    ends = [asyncio.get_running_loop().create_future() for _ in range(connections)]
    for end in ends:
        await Client(soak, port, end).open()
    await asyncio.gather(*ends)


def main() -> int:
    """Run and report; 0 if all bounds were kept."""
    parser = output.options_parser("soak", __doc__)
    parser.add_argument("--requests", type=int, default=1_000_000)
    parser.add_argument("--connections", type=int, default=16)
    parser.add_argument("--database", choices=["sqlite", "postgresql"], default="postgresql")
    options = parser.parse_args()
    with output.workspace() as (folder, stack):
        settings = forum_settings(folder, output.new_database(options.database, folder, stack))
        ini = write_ini(folder, "forum", settings)
        login = fill(ini, output.size_of(options))
        with serve("forum", ini) as server:
            print(f"{server.megabytes:.0f} MB at rest")
            soak = Soak(server, log_in(server, login), options.requests)
            output.leave_server_core()
            asyncio.run(run(soak, server.port, options.connections))
        wrong = forumsvc(ini, "db", "check", refused=True)["wrong"]
    load = f"{options.requests:,} requests on {options.connections} connections"
    conditions = f"{load} to one process, {options.database}"
    output.publish([HEAD, *map(_row, range(1, PARTS + 1), soak.tenths)], 0, conditions, options.csv)
    for what, many in soak.errors.most_common(20):
        print(f"{many} times: {what}")
    kept = bounds(soak.tenths, wrong)
    for what, is_kept in kept.items():
        print(f"{what}: {'kept' if is_kept else 'broken'}")
    return int(not all(kept.values()))


def bounds(tenths: list[Tenth], wrong: int) -> dict[str, bool]:
    """Return each bound, and whether it was kept. wrong: the number of wrong counters."""
    early, late = tenths[min(1, len(tenths) - 1)], tenths[-1]
    growth = max(
        quantiles(getattr(late, kind))[0] / (quantiles(getattr(early, kind))[0] or 1.0)
        for kind in ("reads", "writes")
    )
    return {
        "no errors": all(tenth.errors == 0 for tenth in tenths),
        f"MB under {MAX_MEGABYTES:.0f}": max(it.megabytes for it in tenths) < MAX_MEGABYTES,
        f"p50, last tenth of second, under {MAX_GROWTH} ({growth:.2f})": growth < MAX_GROWTH,
        "no wrong counters": wrong == 0,
    }


def _row(number: int, tenth: Tenth) -> tuple[str, ...]:
    longest = max([0.0, *tenth.reads, *tenth.writes])
    times = (*quantiles(tenth.reads), *quantiles(tenth.writes), longest)
    many = len(tenth.reads) + len(tenth.writes)
    return (
        str(number),
        f"{many / tenth.seconds:,.0f}",
        *(f"{1000 * one:.1f}" for one in times),
        f"{1000 * tenth.cpu / many:.2f}",
        f"{tenth.megabytes:.0f}",
        str(tenth.errors),
    )


if __name__ == "__main__":
    sys.exit(main())
