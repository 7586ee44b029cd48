"""Generates load: clients that each send the next request after the last response.

As a program it takes and gives JSON; `burst` runs it in a process of its own.
"""

import asyncio
import itertools
import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from benchmarks.request import Request
from benchmarks.servers import ROOT, environment

_LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.I)
LONGEST = 120.0
"""Seconds to wait for a first answer, and how much longer the program of a burst may take."""
_POLL_SECONDS = 0.1


@dataclass(frozen=True)
class Burst:
    """The result of some seconds of load.

    requests: number of responses; errors: responses that were not 2xx or 3xx, and lost connections;
    p50, p99: latency in seconds of the median and the 99th percentile; reads, writes: the same two
    of GET requests and of all others.
    """

    requests: int
    seconds: float
    errors: int
    p50: float
    p99: float
    reads: Sequence[float]
    writes: Sequence[float]

    @property
    def rate(self) -> float:
        """Answers a second."""
        return self.requests / self.seconds


class Connection(asyncio.Protocol):
    """One client; its subclass chooses the requests and handles the responses.

    port: on 127.0.0.1.
    """

    def __init__(self, port: int) -> None:
        self._port = port
        self._parts: list[bytes] = []
        self._missing_bytes = 0
        self._sent_at = 0.0

    def next_request(self) -> bytes | None:
        """Return the next request, or None at the end."""
        raise NotImplementedError

    def on_response(self, status: int, head: bytes, body: bytes, seconds: float) -> None:
        """Handle a response that came `seconds` after its request."""
        raise NotImplementedError

    def on_disconnect(self) -> bool:
        """Handle a lost or refused connection; return whether to open another."""
        raise NotImplementedError

    async def open(self) -> None:
        """Connect."""
        loop = asyncio.get_running_loop()
        try:
            await loop.create_connection(lambda: self, "127.0.0.1", self._port)
        except OSError as error:
            self.connection_lost(error)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Send the first request."""
        self._transport: Any = transport
        self._parts, self._missing_bytes = [], 0
        self._send()

    def data_received(self, data: bytes) -> None:
        """Add a part of a response; send the next request after the last part."""
        self._parts.append(data)
        self._missing_bytes -= len(data)
        if self._missing_bytes > 0:
            return
        head, blank, body = b"".join(self._parts).partition(b"\r\n\r\n")
        if not blank:
            return
        length = _LENGTH.search(head)
        self._missing_bytes = int(length[1]) - len(body) if length else 0
        if self._missing_bytes > 0:
            return
        self._parts = []
        self.on_response(int(head[9:12]), head, body, time.perf_counter() - self._sent_at)
        self._send()

    def connection_lost(self, error: Exception | None) -> None:
        """Connect again, if there are more requests."""
        if self.on_disconnect():
            self._again = asyncio.get_running_loop().create_task(self.open())

    def _send(self) -> None:
        request = self.next_request()
        if request is None:
            self._transport.close()
            return
        self._sent_at = time.perf_counter()
        self._transport.write(request)


class _Stats:
    """The results of all connections."""

    def __init__(self) -> None:
        self.reads: list[float] = []
        self.writes: list[float] = []
        self.errors = 0
        self.running = True


class _Client(Connection):
    """A connection that sends the next of the shared requests."""

    def __init__(self, requests: Iterator[bytes], stats: _Stats, port: int) -> None:
        super().__init__(port)
        self._requests, self._stats = requests, stats
        self._is_read = True

    def next_request(self) -> bytes | None:
        if not self._stats.running:
            return None
        request = next(self._requests)
        self._is_read = request.startswith(b"GET ")
        return request

    def on_response(self, status: int, head: bytes, body: bytes, seconds: float) -> None:
        (self._stats.reads if self._is_read else self._stats.writes).append(seconds)
        self._stats.errors += not 200 <= status < 400

    def on_disconnect(self) -> bool:
        self._stats.errors += self._stats.running
        return self._stats.running


def quantiles(latencies: list[float]) -> tuple[float, float]:
    """Return the median and the 99th percentile; 0 of nothing."""
    ordered = sorted(latencies) or [0.0]
    return ordered[len(ordered) // 2], ordered[len(ordered) * 99 // 100]


async def _drive(port: int, requests: list[str], connections: int, seconds: float) -> Burst:
    stats, cycle = _Stats(), itertools.cycle([request.encode() for request in requests])
    began = time.perf_counter()
    for _ in range(connections):
        await _Client(cycle, stats, port).open()
    await asyncio.sleep(seconds)
    while not (stats.reads or stats.writes) and time.perf_counter() - began < LONGEST:
        await asyncio.sleep(_POLL_SECONDS)
    stats.running = False
    took = time.perf_counter() - began
    latencies = stats.reads + stats.writes
    kinds = quantiles(stats.reads), quantiles(stats.writes)
    return Burst(len(latencies), took, stats.errors, *quantiles(latencies), *kinds)


def burst(port: int, requests: Sequence[Request], connections: int, seconds: float) -> Burst:
    """Send the requests, repeatedly in their order, from another process.

    It lasts longer where no answer comes within `seconds`. Raises RuntimeError if none comes within
    LONGEST seconds either.
    """
    raw = [request.raw(f"127.0.0.1:{port}").decode() for request in requests]
    job = {"port": port, "connections": connections, "seconds": seconds, "requests": raw}
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.load"],
        input=json.dumps(job),
        cwd=ROOT,
        env=environment(),
        check=True,
        stdout=subprocess.PIPE,
        text=True,
        timeout=seconds + 2 * LONGEST,
    )
    found = Burst(**json.loads(done.stdout))
    if not found.requests:
        raise RuntimeError(f"No answer to {requests[0].path} in {found.seconds:.0f} s.")
    return found


if __name__ == "__main__":
    print(json.dumps(asdict(asyncio.run(_drive(**json.load(sys.stdin))))))
