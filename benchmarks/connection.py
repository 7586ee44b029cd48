"""A keep-alive connection that sends its next request after the last response."""

import asyncio
import re
import time
from typing import Any

LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.I)


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
        try:
            await asyncio.get_running_loop().create_connection(
                lambda: self, "127.0.0.1", self._port
            )
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
        whole = b"".join(self._parts)
        head, blank, body = whole.partition(b"\r\n\r\n")
        if not blank:
            return
        length = LENGTH.search(head)
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
