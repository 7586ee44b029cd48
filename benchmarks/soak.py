"""The work of a large community's day in minutes: `python -m benchmarks.soak --requests 1000000`.

A server and a background worker do what 200 members want: five reads to one write, and a search
now and then, while two webhooks are told of it. The memory of both and the latency must stay
constant, there must be no errors; at the end every counter and every document of the search must
be right, and every delivery of a webhook received.
"""

import asyncio
import json
import random
import sys
import time
from collections import Counter, deque
from contextlib import suppress
from dataclasses import dataclass, field
from urllib.parse import urlencode

from benchmarks import aftermath, output
from benchmarks.aftermath import Aftermath
from benchmarks.endpoints import open_topics
from benchmarks.load import Connection, quantiles
from benchmarks.members import Members, fill, log_in
from benchmarks.request import API, Request, get, send
from benchmarks.servers import (
    Server,
    cpu_seconds,
    forum_settings,
    forumsvc,
    resident_megabytes,
    serve,
    work,
    write_ini,
)
from benchmarks.workload import MEMBER_COUNT, Day
from forumsvc.cache.database import open_database
from tests.system.webhook_receiver import receiving

PARTS = 10
MAX_MEGABYTES, MAX_MEGABYTES_GROWTH = 150.0, 1.1
"""Of the server; of both processes, from the first tenth to the last."""
MAX_GROWTH = 1.5
"""Of the median latency, from the second tenth to the last."""
HEAD = (
    *("tenth", "requests/s", "reads p50 ms", "reads p99 ms", "writes p50 ms", "writes p99 ms"),
    *("longest ms", "server CPU ms", "MB", "worker CPU ms", "worker MB", "errors"),
)
WEBHOOKS = {"/all": "*", "/replies": "reply.created"}
"""The path of the receiver for each type of events."""
SEARCH_EVERY = 250
QUERIES = ("restart", "trace-17", "timeout upgrade", '"something above"')


@dataclass
class Tenth:
    """The results of a tenth of the requests.

    reads, writes: latencies in seconds; cpu, megabytes: of the server and of the worker.
    """

    reads: list[float] = field(default_factory=list)
    writes: list[float] = field(default_factory=list)
    errors: int = 0
    seconds: float = 0.0
    cpu: list[float] = field(default_factory=list)
    megabytes: list[float] = field(default_factory=list)


class Soak:
    """Chooses the requests, and records the results in tenths."""

    def __init__(self, server: Server, worker: int, members: Members, requests: int) -> None:
        self.tenths: list[Tenth] = []
        self.errors: Counter[str] = Counter()
        self._server, self._worker, self._members = server, worker, members
        self._left, self._each = requests, max(1, requests // PARTS)
        self._rng = random.Random(1)  # noqa: S311 - no secret is made of it
        self._day = Day(server, members, open_topics(server, members.token)).requests()
        self._made: deque[Request] = deque(maxlen=1_000)
        self._tenth = Tenth()
        self._began, self._used = time.monotonic(), self._cpu()

    def next(self) -> Request | None:
        """Return the next request, None at the end."""
        self._left -= 1
        if self._left < 0:
            return None
        if self._left % SEARCH_EVERY == 0:
            query = urlencode({"q": self._rng.choice(QUERIES)})
            return get(f"{API}/search/topics?{query}", self._rng.choice(self._members.tokens))
        request = next(self._day)
        is_edit = request.method == "POST" and request.path.startswith(f"{API}/replies/")
        return self._made.popleft() if is_edit and self._made else request

    def on_response(self, request: Request, status: int, body: bytes, seconds: float) -> None:
        """Record a response; remember how to edit or delete a reply that was made."""
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
        now, used = time.monotonic(), self._cpu()
        tenth.seconds = now - self._began
        tenth.cpu = [after - before for after, before in zip(used, self._used, strict=True)]
        tenth.megabytes = [self._server.megabytes, resident_megabytes(self._worker)]
        self._began, self._used = now, used
        self.tenths.append(tenth)
        sizes = " and ".join(f"{size:.0f} MB" for size in tenth.megabytes)
        print(f"{len(self.tenths)} of {PARTS}: {sizes}", flush=True)

    def _cpu(self) -> list[float]:
        return [cpu_seconds(self._server.pid), cpu_seconds(self._worker)]


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
        url = output.new_database(options.database, folder, stack)
        settings = {**forum_settings(folder, url), "webhooks.allow_private": "true"}
        ini = write_ini(folder, "forum", settings)
        login = fill(ini, output.size_of(options))
        forumsvc(ini, "search", "reindex")
        database = open_database(url)
        stack.callback(database.dispose)
        with receiving() as receiver:
            for path, event in WEBHOOKS.items():
                forumsvc(ini, "webhook", "add", receiver.url(path), "--event", event)
            with serve("forum", ini) as server, work(ini) as worker:
                members = log_in(server, login, MEMBER_COUNT)
                print(f"{server.megabytes:.0f} and {resident_megabytes(worker):.0f} MB at rest")
                soak = Soak(server, worker, members, options.requests)
                output.leave_server_core()
                asyncio.run(run(soak, server.port, options.connections))
                late = aftermath.wait_for_worker(database)
        left = aftermath.inspect(ini, database, receiver)
        deliveries = aftermath.count_deliveries(database)
    load = f"{options.requests:,} requests on {options.connections} connections"
    rest = f"{deliveries:,} deliveries, the last {late:.0f} s after the last request"
    conditions = f"{load} to one process, {options.database}; {rest}"
    output.publish([HEAD, *map(_row, range(1, PARTS + 1), soak.tenths)], 0, conditions, options.csv)
    for what, many in soak.errors.most_common(20):
        print(f"{many} times: {what}")
    kept = bounds(soak.tenths, left)
    for what, is_kept in kept.items():
        print(f"{what}: {'kept' if is_kept else 'broken'}")
    return int(not all(kept.values()))


def bounds(tenths: list[Tenth], left: Aftermath) -> dict[str, bool]:
    """Return each bound, and whether it was kept."""
    first, early, last = tenths[0], tenths[min(1, len(tenths) - 1)], tenths[-1]
    growth = max(
        quantiles(getattr(last, kind))[0] / (quantiles(getattr(early, kind))[0] or 1.0)
        for kind in ("reads", "writes")
    )
    grown = [after / before for before, after in zip(first.megabytes, last.megabytes, strict=True)]
    most = f"MB, last tenth of first, under {MAX_MEGABYTES_GROWTH}"
    return {
        "no errors": all(tenth.errors == 0 for tenth in tenths),
        f"MB under {MAX_MEGABYTES:.0f}": max(it.megabytes[0] for it in tenths) < MAX_MEGABYTES,
        f"{most} ({grown[0]:.2f}, worker {grown[1]:.2f})": max(grown) < MAX_MEGABYTES_GROWTH,
        f"p50, last tenth of second, under {MAX_GROWTH} ({growth:.2f})": growth < MAX_GROWTH,
        **{f"no {what.replace('_', ' ')}": many == 0 for what, many in vars(left).items()},
    }


def _row(number: int, tenth: Tenth) -> tuple[str, ...]:
    longest = max([0.0, *tenth.reads, *tenth.writes])
    times = (*quantiles(tenth.reads), *quantiles(tenth.writes), longest)
    many = len(tenth.reads) + len(tenth.writes)
    used = [
        cell
        for cpu, size in zip(tenth.cpu, tenth.megabytes, strict=True)
        for cell in (f"{1000 * cpu / many:.2f}", f"{size:.0f}")
    ]
    return (
        str(number),
        f"{many / tenth.seconds:,.0f}",
        *(f"{1000 * one:.1f}" for one in times),
        *used,
        str(tenth.errors),
    )


if __name__ == "__main__":
    sys.exit(main())
