"""A client's connection, as waitress has it, with this service's manners."""

import json
import re
import time
from http import HTTPStatus
from typing import Any

from waitress.channel import HTTPChannel
from waitress.parser import HTTPRequestParser, ParsingError
from waitress.task import ErrorTask, WSGITask

from forumsvc.serving.channel_times import ChannelTimes


def failure_body(status: int, message: str) -> bytes:
    """Return the JSON of a failure, for an application that does not say how its own look."""
    return json.dumps({"error": message}).encode()


class JsonErrorTask(ErrorTask):
    """Answers what never reaches the application, as the application answers its own failures.

    Those are requests that waitress cannot read (400), that are too large for it (413, 431), and
    an application that raised instead of answering (500).
    """

    def execute(self) -> None:
        """Write the answer, and close the connection after it."""
        error = self.request.error
        message = f"{error.reason}: {error.body}"
        body = self.channel.server.failure_body(error.code, message)
        self.status = f"{error.code} {error.reason}"
        self.response_headers.append(("Content-Type", "application/json"))
        self.content_length = len(body)
        self.set_close_on_finish()
        self.write(body)


class ClosingTask(WSGITask):
    """Asks the application, and tells the client to come back elsewhere while the server ends."""

    _stays = False

    def build_response_header(self) -> bytes:
        """Return the answer's head."""
        # A server that has closed its door accepts no longer.
        if not self.channel.server.accepting and self.version == "1.1":
            self.set_close_on_finish()
        asked_to_close = self.request.headers.get("CONNECTION", "").lower() == "close"
        # waitress closes behind every answer without a length, 304 and 204 too, which have none
        # and need none (RFC 9110 §8.6): each would cost its client a new connection.
        self._stays = (
            self.version == "1.1"
            and not self.has_body
            and not self.close_on_finish
            and not asked_to_close
        )
        try:
            return bytes(super().build_response_header())
        finally:
            self._stays = False

    def set_close_on_finish(self) -> None:
        """Close the connection behind this answer, unless it is one that ends by itself."""
        if not self._stays:
            super().set_close_on_finish()


_BLANKS_BEFORE_VALUE = re.compile(
    rb"^([!#$%&'*+\-.^_`|~0-9A-Za-z]++:)(?:[ \t]|\r\n(?=[ \t]))++", re.MULTILINE
)


class StrictParser(HTTPRequestParser):
    """Reads a request's head in time that grows with its length, and one length of its body."""

    def parse_header(self, header_plus: bytes) -> None:
        """Read the head. Raises ParsingError where it tells the body's length in two ways.

        A proxy that believes the other one sees another request begin where this one ends (RFC 9112
        §11.2); waitress reads the chunks and keeps the connection open.
        """
        # waitress's own pattern takes the square of their number to pass over them: seconds, in
        # which nobody else is answered, for a header of 32 kB.
        if b"        " in header_plus or b"\t" in header_plus or b"\n " in header_plus:
            header_plus = _BLANKS_BEFORE_VALUE.sub(rb"\1 ", header_plus)
        super().parse_header(header_plus)
        if self.chunked and "CONTENT_LENGTH" in self.headers:
            raise ParsingError("Content-Length and Transfer-Encoding exclude each other")


class Channel(HTTPChannel):
    """One connection of one client, which answers one request at a time.

    Of requests that come together the next is parsed when the answer before it has left: a client
    that does not read holds one answer and no thread.
    """

    parser_class = StrictParser
    task_class = ClosingTask
    error_task_class = JsonErrorTask

    request: Any
    sent_continue: bool
    will_close: bool

    def __init__(self, server: Any, *given: Any, **named: Any) -> None:
        self.times = ChannelTimes(server.time_limits, time.monotonic())
        self._unparsed = b""
        super().__init__(server, *given, **named)
        server.connection_limits.admit(self)

    @property
    def busy(self) -> bool:
        """Whether a request is being read or answered."""
        return bool(self.requests or self.request or self._unparsed or self.total_outbufs_len)

    @property
    def waits_for_client(self) -> bool:
        """Whether no request is being answered: the client has to send, or to read."""
        return not self.requests and not self._unparsed

    def readable(self) -> bool:
        """Parse the next request that has come already, if it is its turn; else tell to read."""
        if self._unparsed and not (
            self.requests or self.total_outbufs_len or self.will_close or self.close_when_flushed
        ):
            self.received(b"")
        return not self._unparsed and bool(super().readable())

    def received(self, data: bytes) -> bool:
        """Parse what has come until a request is complete, and have it answered."""
        data, self._unparsed = self._unparsed + data, b""
        with self.requests_lock:
            if not data or self.will_close or self.close_when_flushed:
                return False
            now = time.monotonic()
            self.times.watch_response(now, pending=False)
            self.times.note_header(now)
            while data and not self.requests:
                data = data[self._parse(data) :]
            self._unparsed = data
            if self.requests:
                self.times.note_request()
            elif self.request is not None and self.request.headers_finished:
                self.times.note_body(now, self.request.body_bytes_received)
        return True

    def _parse(self, data: bytes) -> int:
        """Have the parser take some of the data; return how many bytes it took."""
        if self.request is None:
            self.request = self.parser_class(self.adj)
        request = self.request
        taken = request.received(data)
        if request.expect_continue and request.headers_finished and not self.sent_continue:
            self.send_continue()
        if request.completed:
            self.sent_continue = False
            self.request = None
            if not request.empty:
                self.requests.append(request)
                self.server.add_task(self)
        return int(taken)

    def service(self) -> None:
        """Answer a request, in a thread of the worker's."""
        self.server.tasks.start()
        try:
            super().service()
        finally:
            self.times.note_idle(time.monotonic())
            self.server.tasks.finish()

    def send(self, data: bytes, do_close: bool = True) -> int:
        """Send some of an answer; return how many bytes the system took."""
        sent = int(super().send(data, do_close))
        self.times.note_sent(sent)
        return sent

    def close_if_overdue(self, now: float) -> str | None:
        """Close the connection where the client is too slow, and return in what.

        At once: waitress's `will_close` waits until the client reads.
        """
        self.times.watch_response(now, pending=bool(self.total_outbufs_len))
        if self.will_close or (self.requests and not self.total_outbufs_len):
            return None
        what = self.times.overdue(now)
        if what == "answer":
            self.handle_close()
        elif what is not None:
            self.refuse(408, f"The {what} of the request takes too long.")
        return what

    def refuse(self, status: int, message: str) -> None:
        """Close the connection with an answer that costs no thread, if the client takes it."""
        body = self.server.failure_body(status, message)
        head = (
            f"HTTP/1.1 {status} {HTTPStatus(status).phrase}\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\nConnection: close\r\nRetry-After: 1\r\n\r\n"
        )
        if not self.total_outbufs_len:
            self.send(head.encode() + body, do_close=False)
        self.handle_close()

    def del_channel(self, map: Any = None) -> None:
        """Forget the connection, which is closed."""
        super().del_channel(map)
        self.server.connection_limits.remove(self)
