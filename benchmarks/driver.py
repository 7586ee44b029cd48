"""A load generator in Python, used without wrk. A program: JSON in, JSON out.

In: `port`, `requests` (a list of raw HTTP/1.1 requests), `connections`, `seconds`.
Out: `requests`, `seconds`, `errors`, `p50`, `p99`, the fields of `benchmarks.load.Burst`.
"""

import asyncio
import itertools
import json
import sys
import time
from collections.abc import Iterator
from typing import Any

from benchmarks.connection import Connection


class LoadStats:
    """The results of all connections: the seconds of each response, and the number of errors."""

    def __init__(self) -> None:
        self.latencies: list[float] = []
        self.errors = 0
        self.running = True


class LoadConnection(Connection):
    """A connection that sends the next of the shared requests."""

    def __init__(self, requests: Iterator[bytes], stats: LoadStats, port: int) -> None:
        super().__init__(port)
        self._requests = requests
        self._stats = stats

    def next_request(self) -> bytes | None:
        return next(self._requests) if self._stats.running else None

    def on_response(self, status: int, head: bytes, body: bytes, seconds: float) -> None:
        """Record a response."""
        self._stats.latencies.append(seconds)
        if not 200 <= status < 400:
            self._stats.errors += 1

    def on_disconnect(self) -> bool:
        """Count a connection that the server closed."""
        if self._stats.running:
            self._stats.errors += 1
        return self._stats.running


async def drive(port: int, requests: list[str], connections: int, seconds: float) -> dict[str, Any]:
    """Generate load and return the results."""
    stats = LoadStats()
    cycle = itertools.cycle([request.encode() for request in requests])
    began = time.perf_counter()
    for _ in range(connections):
        await LoadConnection(cycle, stats, port).open()
    await asyncio.sleep(seconds)
    stats.running = False
    took = time.perf_counter() - began
    ordered = sorted(stats.latencies) or [0.0]
    return {
        "requests": len(stats.latencies),
        "seconds": took,
        "errors": stats.errors,
        "p50": ordered[len(ordered) // 2],
        "p99": ordered[len(ordered) * 99 // 100],
    }


if __name__ == "__main__":
    print(json.dumps(asyncio.run(drive(**json.load(sys.stdin)))))
