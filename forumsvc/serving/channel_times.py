"""How long a client may take to send a request and to read its answer."""

from dataclasses import dataclass


@dataclass(frozen=True)
class TimeLimits:
    """The limits of `[server:main]`; 0 seconds means no limit.

    header_seconds: from a request's first byte to the end of its header, whatever comes meanwhile.
    body_seconds, response_seconds: for a body and for an answer, plus the time that what has come
    or gone takes at `min_bytes_per_second`. A steady transfer above that rate is never cut.
    """

    header_seconds: float
    body_seconds: float
    response_seconds: float
    min_bytes_per_second: int

    def credit(self, transferred: int) -> float:
        """Return the seconds that this many bytes may take."""
        return transferred / self.min_bytes_per_second


class ChannelTimes:
    """Since when a connection waits for its client. All times are monotonic seconds.

    A moment that bytes were transferred in moves on by their credit, so that a steady transfer
    counts as fresh.
    """

    def __init__(self, limits: TimeLimits, now: float) -> None:
        self._limits = limits
        self._idle_since = now
        self._header_since: float | None = None
        self._body_since: float | None = None
        self._response_since: float | None = None
        self._received = 0
        self._sent = 0

    def note_header(self, now: float) -> None:
        """Note that bytes of a header have come, at least its first."""
        if self._header_since is None:
            self._header_since = now

    def note_body(self, now: float, received: int) -> None:
        """Note how many bytes of a body have come; the header is complete."""
        if self._body_since is None:
            self._body_since = now
        self._received = received

    def note_request(self) -> None:
        """Note that a request is complete."""
        self._header_since = self._body_since = None

    def note_idle(self, now: float) -> None:
        """Note that the last answer has left, or that the next request may be read."""
        self._idle_since = now

    def note_sent(self, sent: int) -> None:
        """Note that bytes of an answer have left."""
        self._sent += sent

    def watch_response(self, now: float, *, pending: bool) -> None:
        """Note whether bytes of an answer wait for the client to take them."""
        if not pending:
            self._response_since = None
        elif self._response_since is None:
            self._response_since = now
            self._sent = 0

    @property
    def waiting_since(self) -> float:
        """The moment since which the client keeps the connection waiting, less its credit."""
        limits = self._limits
        if self._response_since is not None:
            return self._response_since + limits.credit(self._sent)
        if self._body_since is not None:
            return self._body_since + limits.credit(self._received)
        if self._header_since is not None:
            return self._header_since
        return self._idle_since

    def overdue(self, now: float) -> str | None:
        """Return what took too long (header, body, answer), or None.

        The time between two requests is `channel_timeout`'s business.
        """
        if self._response_since is not None:
            what, limit = "answer", self._limits.response_seconds
        elif self._body_since is not None:
            what, limit = "body", self._limits.body_seconds
        elif self._header_since is not None:
            what, limit = "header", self._limits.header_seconds
        else:
            return None
        return what if limit and now - self.waiting_since > limit else None
