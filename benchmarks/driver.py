"""A load generator in Python, for where wrk is not. A program: JSON in, JSON out.

In: `port`, `requests` (a list of raw HTTP/1.1 requests), `connections`, `seconds`.
Out: `requests`, `seconds`, `errors`, `p50`, `p99`, as `benchmarks.load.Burst` has them.
"""

import asyncio
import itertools
import json
import sys
import time
from collections.abc import Iterator
from typing import Any

from benchmarks.connection import Connection


class Tally:
    """What all connections have seen: how long each answer took (seconds), how many were wrong."""

    def __init__(self) -> None:
        self.latencies: list[float] = []
        self.errors = 0
        self.running = True


class Driven(Connection):
    """A connection that takes its turn at the requests."""

    def __init__(self, requests: Iterator[bytes], tally: Tally, port: int) -> None:
        super().__init__(port)
        self._requests = requests
        self._tally = tally

    def ask(self) -> bytes | None:
        """Return the next request."""
        return next(self._requests) if self._tally.running else None

    def hear(self, status: int, head: bytes, body: bytes, seconds: float) -> None:
        """Note an answer."""
        self._tally.latencies.append(seconds)
        if not 200 <= status < 400:
            self._tally.errors += 1

    def cut(self) -> bool:
        """Count a connection that the server has cut."""
        if self._tally.running:
            self._tally.errors += 1
        return self._tally.running


async def drive(port: int, requests: list[str], connections: int, seconds: float) -> dict[str, Any]:
    """Make load and return what was seen."""
    tally = Tally()
    turn = itertools.cycle([request.encode() for request in requests])
    began = time.perf_counter()
    for _ in range(connections):
        await Driven(turn, tally, port).open()
    await asyncio.sleep(seconds)
    tally.running = False
    took = time.perf_counter() - began
    ordered = sorted(tally.latencies) or [0.0]
    return {
        "requests": len(tally.latencies),
        "seconds": took,
        "errors": tally.errors,
        "p50": ordered[len(ordered) // 2],
        "p99": ordered[len(ordered) * 99 // 100],
    }


if __name__ == "__main__":
    print(json.dumps(asyncio.run(drive(**json.load(sys.stdin)))))
