"""A receiver of webhooks in a process of its own, which counts the messages of each path.

As a program it prints its port, serves until its standard input ends, and then prints what it got.
"""

import asyncio
import json
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, ClassVar

_ANSWER = b"HTTP/1.1 204 No Content\r\n\r\n"


@dataclass
class Received:
    """What a receiver got; filled at its end.

    times: how often it got each message, by path and `webhook-id`; last: the headers and the body
    of the last message, by path.
    """

    port: int
    times: dict[str, dict[str, int]] = field(default_factory=dict)
    last: dict[str, tuple[dict[str, str], str]] = field(default_factory=dict)

    def url(self, path: str) -> str:
        """Return the URL of a path."""
        return f"http://127.0.0.1:{self.port}{path}"


@contextmanager
def receiving() -> Iterator[Received]:
    """Run a receiver, and fill in at the end what it got."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.system.webhook_receiver"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:
        assert process.stdout is not None
        received = Received(int(process.stdout.readline()))
        try:
            yield received
        finally:
            written, _ = process.communicate()
        found = json.loads(written)
        received.times = found["times"]
        received.last = {path: tuple(message) for path, message in found["last"].items()}


class _Protocol(asyncio.Protocol):
    times: ClassVar[defaultdict[str, Counter[str]]] = defaultdict(Counter)
    last: ClassVar[dict[str, Any]] = {}

    def connection_made(self, transport: Any) -> None:
        self._transport = transport
        self._buffer = b""

    def data_received(self, data: bytes) -> None:
        """Answer the messages that have arrived whole."""
        self._buffer += data
        while (end := self._buffer.find(b"\r\n\r\n")) >= 0:
            first, *lines = self._buffer[:end].decode("latin-1").split("\r\n")
            pairs = (line.partition(": ") for line in lines)
            headers = {name.lower(): value for name, _, value in pairs}
            whole = end + 4 + int(headers["content-length"])
            if len(self._buffer) < whole:
                return
            body, self._buffer = self._buffer[end + 4 : whole], self._buffer[whole:]
            path = first.split()[1]
            self.times[path][headers["webhook-id"]] += 1
            self.last[path] = (headers, body.decode())
            self._transport.write(_ANSWER)


async def _serve() -> None:
    loop = asyncio.get_running_loop()
    server = await loop.create_server(_Protocol, "127.0.0.1", 0)
    _say(str(server.sockets[0].getsockname()[1]))
    await loop.run_in_executor(None, sys.stdin.read)
    server.close()
    _say(json.dumps({"times": _Protocol.times, "last": _Protocol.last}))


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(_serve())
