"""A client's connection, as waitress has it, with this service's manners."""

import json
import re

from waitress.channel import HTTPChannel
from waitress.parser import HTTPRequestParser, ParsingError
from waitress.task import ErrorTask, WSGITask


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
    """One connection of one client."""

    parser_class = StrictParser
    task_class = ClosingTask
    error_task_class = JsonErrorTask

    @property
    def busy(self) -> bool:
        """Whether a request is being read or answered."""
        return bool(self.requests or self.request or self.total_outbufs_len)
