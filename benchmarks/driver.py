"""A load generator in Python, for where wrk is not. A program: JSON in, JSON out.

In: `port`, `requests` (a list of raw HTTP/1.1 requests), `connections`, `seconds`.
Out: `requests`, `seconds`, `errors`, `p50`, `p99`, as `benchmarks.load.Burst` has them.
"""

import asyncio
import itertools
import json
import re
import sys
import time
from collections.abc import Iterator
from typing import Any

LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.I)


class Tally:
    """What all connections have seen: how long each answer took (seconds), how many were wrong."""

    def __init__(self) -> None:
        self.latencies: list[float] = []
        self.errors = 0
        self.running = True


class Connection(asyncio.Protocol):
    """One keep-alive connection that sends its next request when the last is answered."""

    def __init__(self, requests: Iterator[bytes], tally: Tally, port: int) -> None:
        self._requests = requests
        self._tally = tally
        self._port = port
        self._buffer = b""
        self._sent = 0.0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Send the first request."""
        self._transport: Any = transport
        self._buffer = b""
        self._send()

    def data_received(self, data: bytes) -> None:
        """Note an answer when it is whole, and go on."""
        self._buffer += data
        head, blank, body = self._buffer.partition(b"\r\n\r\n")
        if not blank:
            return
        length = LENGTH.search(head)
        if length is not None and len(body) < int(length[1]):
            return
        self._buffer = b""
        self._tally.latencies.append(time.perf_counter() - self._sent)
        if not 200 <= int(head[9:12]) < 400:
            self._tally.errors += 1
        if self._tally.running:
            self._send()

    def connection_lost(self, error: Exception | None) -> None:
        """Count a connection that the server has cut, and make another."""
        if self._tally.running:
            self._tally.errors += 1
            loop = asyncio.get_running_loop()
            self._again = loop.create_task(connect(loop, self, self._port))

    def _send(self) -> None:
        """Send the next request."""
        self._sent = time.perf_counter()
        self._transport.write(next(self._requests))


async def connect(loop: asyncio.AbstractEventLoop, connection: Connection, port: int) -> None:
    """Connect to the server; what fails is counted."""
    try:
        await loop.create_connection(lambda: connection, "127.0.0.1", port)
    except OSError as error:
        connection.connection_lost(error)


async def drive(port: int, requests: list[str], connections: int, seconds: float) -> dict[str, Any]:
    """Make load and return what was seen."""
    loop = asyncio.get_running_loop()
    tally = Tally()
    turn = itertools.cycle([request.encode() for request in requests])
    began = time.perf_counter()
    for _ in range(connections):
        await connect(loop, Connection(turn, tally, port), port)
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
