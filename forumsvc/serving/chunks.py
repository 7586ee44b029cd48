"""A body in chunks (RFC 9112 §7.1), of which no two servers read different ends."""

import re
from typing import Any

from waitress.receiver import ChunkedReceiver
from waitress.utilities import BadRequest

MAX_LINE, MAX_TRAILER = 1024, 4096
"""Bytes of the line before a chunk, and of the fields behind the last one."""
_LINE = re.compile(rb"[^\r\n]+\r\n")


class StrictChunks(ChunkedReceiver):
    """Reads lines that end with CRLF and with nothing else, and none that is long.

    Another server may end a line at a bare LF, and see another request begin. Each part of a line
    costs waitress a copy of it all.
    """

    error: Any
    control_line: bytes
    trailer: bytes

    def received(self, s: bytes) -> int:
        """Take data; return how many bytes were consumed. An error ends the body."""
        taken = 0
        while taken < len(s) and not (self.completed or self.error):
            piece = s[taken : self._end_of_piece(s, taken)]
            taken += len(piece)
            super().received(piece)
            if len(self.control_line) > MAX_LINE or len(self.trailer) > MAX_TRAILER:
                self.error = BadRequest("A chunk's extension or the trailer is too long")
        return taken

    def _end_of_piece(self, s: bytes, start: int) -> int:
        """Return where the chunk or line ends that goes on here; refuse a bad line."""
        if self.chunk_remainder:
            return start + int(self.chunk_remainder)
        if self.validate_chunk_end:
            return start + 2 - len(self.chunk_end)
        end = s.find(b"\n", start) + 1
        if not end:
            return len(s)
        if self.all_chunks_received:
            is_strict = (self.trailer + s[start:end]).endswith(b"\r\n")
        else:
            is_strict = _LINE.fullmatch(self.control_line + s[start:end]) is not None
        if not is_strict:
            self.error = BadRequest("A line of the chunks does not end with CRLF")
        return end
