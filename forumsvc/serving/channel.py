"""A client's connection: waitress's channel with JSON errors, strict parsing and timeouts."""

import json
import time
from http import HTTPStatus
from typing import Any

from waitress.buffers import ReadOnlyFileBasedBuffer
from waitress.channel import HTTPChannel
from waitress.task import ErrorTask, WSGITask

from forumsvc.serving.channel_times import ChannelTimes
from forumsvc.serving.client_shares import LARGE_ANSWER, MAX_UNCOUNTED, Client
from forumsvc.serving.environment import DRAINING
from forumsvc.serving.parser import RequestError, StrictParser


def error_body(status: int, message: str) -> bytes:
    """Return the JSON body of an error, for an application without a `error_body` of its own."""
    return json.dumps({"error": message}).encode()


class JsonErrorTask(ErrorTask):
    """Answers requests that never reach the application, in the format of the application's errors.

    These are requests that waitress cannot parse (400) or that are too large for it (413, 431),
    and requests for which the application raised an exception (500).
    """

    def execute(self) -> None:
        """Write the response and close the connection after it."""
        error = self.request.error
        message = f"{error.reason}: {error.body}"
        body = self.channel.server.error_body(error.code, message)
        self.status = f"{error.code} {error.reason}"
        self.response_headers.append(("Content-Type", "application/json"))
        if error.code == HTTPStatus.TOO_MANY_REQUESTS:
            self.response_headers.append(("Retry-After", "1"))
        self.response_headers += self.channel.server.error_headers
        self.content_length = len(body)
        self.set_close_on_finish()
        self.write(body)


class ApplicationTask(WSGITask):
    """Calls the application; while the server shuts down, tells the client to reconnect."""

    _keeps_connection = False
    wrote_header: bool

    def build_response_header(self) -> bytes:
        """Return the status line and headers of the response."""
        # After `stop_listening` the server no longer accepts.
        if not self.channel.server.accepting and self.version == "1.1":
            self.set_close_on_finish()
        asked_to_close = self.request.headers.get("CONNECTION", "").lower() == "close"
        # waitress closes the connection after every response without a length, also after 304 and
        # 204, which need none (RFC 9110 §8.6): each would cost its client a new connection.
        self._keeps_connection = (
            self.version == "1.1"
            and not self.has_body
            and not self.close_on_finish
            and not asked_to_close
        )
        try:
            return bytes(super().build_response_header())
        finally:
            self._keeps_connection = False

    def write(self, data: bytes) -> None:
        """Send a part of the response; a whole one with its head, by one call of the system."""
        is_whole = not self.wrote_header and 0 < len(data) == self.content_length <= MAX_UNCOUNTED
        if self.complete and is_whole and self.has_body:
            head, self.wrote_header = self.build_response_header(), True
            self.content_bytes_written = len(data)
            self.channel.write_soon(head + data)
        else:
            super().write(data)

    def get_environment(self) -> dict[str, Any]:
        """Return the WSGI environ; `forumsvc.draining` is true before a shutdown."""
        environ: dict[str, Any] = super().get_environment()
        if self.channel.server.is_draining:
            environ[DRAINING] = True
        return environ

    def set_close_on_finish(self) -> None:
        """Close the connection after this response, unless the response needs no length."""
        if not self._keeps_connection:
            super().set_close_on_finish()


class Channel(HTTPChannel):
    """One connection of one client, which answers one request at a time.

    A pipelined request is parsed only after the response before it was sent: a client that does
    not read blocks one response and no thread.
    """

    parser_class = StrictParser
    task_class = ApplicationTask
    error_task_class = JsonErrorTask

    request: Any
    descriptor: int
    sent_continue: bool
    will_close: bool

    def __init__(self, server: Any, *values: Any, **named: Any) -> None:
        self.times = ChannelTimes(server.time_limits, time.monotonic())
        self._unparsed = b""
        self._sent = 0
        self.client: Client = None
        super().__init__(server, *values, **named)
        server.connection_limits.admit(self)

    @property
    def busy(self) -> bool:
        """Whether a request is being received or answered."""
        return bool(self.requests or self.request or self._unparsed or self.total_outbufs_len)

    @property
    def waits_for_client(self) -> bool:
        """Whether no request is being answered, so that the client must send or read."""
        return not self.requests and not self._unparsed

    @property
    def needs_loop(self) -> bool:
        """Whether the loop has something to do for it once its request is answered."""
        return bool(
            self.total_outbufs_len
            or self._unparsed
            or self.close_when_flushed
            or self.will_close
            or not self.server.accepting
        )

    def readable(self) -> bool:
        """Parse a pipelined request if it is its turn; return whether to poll for reading."""
        if self._unparsed and not (
            self.requests or self.total_outbufs_len or self.will_close or self.close_when_flushed
        ):
            try:
                self.received(b"")
            except Exception:
                # As for a request that comes alone: the loop handles the errors of one connection.
                self.handle_error()
                return False
        return not self._unparsed and bool(super().readable())

    def received(self, data: bytes) -> bool:
        """Parse data until a request is complete, and have that answered."""
        data, self._unparsed = self._unparsed + data, b""
        with self.requests_lock:
            if not data or self.will_close or self.close_when_flushed:
                return False
            now = time.monotonic()
            self.times.set_response_pending(now, pending=False)
            self.times.on_header_bytes(now)
            while data and not self.requests:
                data = data[self._parse(data) :]
            self._unparsed = data
            if self.requests:
                self.times.on_request_complete()
            elif self.request is not None and self.request.headers_finished:
                self.times.on_body_bytes(now, self.request.body_bytes_received)
        return True

    def _parse(self, data: bytes) -> int:
        """Pass data to the parser; return how many bytes it consumed."""
        if self.request is None:
            self.request = self.parser_class(self.adj)
        request = self.request
        consumed = request.received(data)
        if request.expect_continue and request.headers_finished and not request.completed:
            self._answer_expectation()
        if request.completed:
            self.sent_continue = False
            self.request = None
            if not request.empty:
                hops = request.headers.get("X_FORWARDED_FOR", "")
                self.client = self.server.client_of(self.addr, hops)
                self.requests.append(request)
                self.server.add_task(self)
        return int(consumed)

    def _answer_expectation(self) -> None:
        """Ask for the body, unless the header says that it will be refused (RFC 9110 §10.1.1)."""
        request = self.request
        refusal = self.server.body_error(request.headers)
        if refusal is None:
            self.send_continue()
        else:
            request.error, request.completed = RequestError(*refusal), True

    def service(self) -> None:
        """Answer a request in a thread of the worker."""
        self.server.tasks.start()
        self.server.poller.answer(self)
        client, self._sent = self.client, 0
        is_refused = self.server.unread_bytes.is_too_much(client)
        if is_refused:
            message = "Too many bytes of answers wait for this address to read them."
            self.requests[0].error = RequestError(HTTPStatus.TOO_MANY_REQUESTS, message)
        try:
            super().service()
        finally:
            self.server.poller.answer(None)
            self.times.on_idle(time.monotonic())
            self.server.tasks.finish()
            was_large = is_refused or self._sent >= LARGE_ANSWER
            self.server.task_dispatcher.finish(client, was_large=was_large)

    def write_soon(self, data: Any) -> int:
        """Add a part of an answer; return how many bytes it has."""
        written = int(super().write_soon(data))
        self._sent += written
        if self._sent > MAX_UNCOUNTED:
            self._count_unread()
        return written

    def handle_write(self) -> None:
        """Send what waits for the client, in the main loop."""
        super().handle_write()
        if self._sent > MAX_UNCOUNTED:
            self._count_unread()

    def handle_close(self) -> None:
        """Close the connection, and forget what waits for the client."""
        super().handle_close()
        self._count_unread()

    def _count_unread(self) -> None:
        with self.outbuf_lock:
            # What waits in a file of its own, such as a photo, takes no memory.
            files = [buf for buf in self.outbufs if isinstance(buf, ReadOnlyFileBasedBuffer)]
            count = self.total_outbufs_len - sum(map(len, files))
            self.server.unread_bytes.set(self, count if count > MAX_UNCOUNTED else 0)

    def send(self, data: bytes, do_close: bool = True) -> int:
        """Send part of a response; return how many bytes the system accepted."""
        sent = int(super().send(data, do_close))
        self.times.on_bytes_sent(sent)
        return sent

    def close_if_overdue(self, now: float) -> str | None:
        """Close the connection if the client is too slow, and return in what part.

        Closes at once: waitress's `will_close` waits until the client reads.
        """
        self.times.set_response_pending(now, pending=bool(self.total_outbufs_len))
        if self.will_close or (self.requests and not self.total_outbufs_len):
            return None
        overdue = self.times.overdue(now)
        if overdue == "answer":
            self.handle_close()
        elif overdue is not None:
            self.refuse(408, f"The {overdue} of the request takes too long.")
        return overdue

    def refuse(self, status: int, message: str) -> None:
        """Send an error response without using a thread, if the client takes it, and close."""
        body = self.server.error_body(status, message)
        head = (
            f"HTTP/1.1 {status} {HTTPStatus(status).phrase}\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\nConnection: close\r\nRetry-After: 1\r\n\r\n"
        )
        if not self.total_outbufs_len:
            self.send(head.encode() + body, do_close=False)
        self.handle_close()

    def add_channel(self, map: Any = None) -> None:
        """Have the loop wait for the connection's first request."""
        super().add_channel(map)
        self.descriptor = self.socket.fileno()
        self.server.poller.changed.add(self.descriptor)

    def del_channel(self, map: Any = None) -> None:
        """Remove the closed connection from the loop and the counts."""
        self.server.poller.forget(self.descriptor)
        # A second close must not forget the next connection, which may get the same number.
        self.descriptor = -1
        super().del_channel(map)
        self.server.connection_limits.remove(self)
