"""A keep-alive connection that sends its next request when the last is answered."""

import asyncio
import re
import time
from typing import Any

LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.I)


class Connection(asyncio.Protocol):
    """One client; what it asks and what it makes of the answers is its subclass's.

    port: on 127.0.0.1.
    """

    def __init__(self, port: int) -> None:
        self._port = port
        self._parts: list[bytes] = []
        self._missing = 0
        self._sent = 0.0

    def ask(self) -> bytes | None:
        """Return the next request, None where there is no more to be asked."""
        raise NotImplementedError

    def hear(self, status: int, head: bytes, body: bytes, seconds: float) -> None:
        """Take an answer that came `seconds` after its request."""
        raise NotImplementedError

    def cut(self) -> bool:
        """Note that the connection was cut or refused; return whether to make another."""
        raise NotImplementedError

    async def open(self) -> None:
        """Connect."""
        try:
            await asyncio.get_running_loop().create_connection(
                lambda: self, "127.0.0.1", self._port
            )
        except OSError as error:
            self.connection_lost(error)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Send the first request."""
        self._transport: Any = transport
        self._parts, self._missing = [], 0
        self._send()

    def data_received(self, data: bytes) -> None:
        """Take in a part of an answer; go on where it is the last."""
        self._parts.append(data)
        self._missing -= len(data)
        if self._missing > 0:
            return
        whole = b"".join(self._parts)
        head, blank, body = whole.partition(b"\r\n\r\n")
        if not blank:
            return
        length = LENGTH.search(head)
        self._missing = int(length[1]) - len(body) if length else 0
        if self._missing > 0:
            return
        self._parts = []
        self.hear(int(head[9:12]), head, body, time.perf_counter() - self._sent)
        self._send()

    def connection_lost(self, error: Exception | None) -> None:
        """Connect again, if there is more to be asked."""
        if self.cut():
            self._again = asyncio.get_running_loop().create_task(self.open())

    def _send(self) -> None:
        request = self.ask()
        if request is None:
            self._transport.close()
            return
        self._sent = time.perf_counter()
        self._transport.write(request)
