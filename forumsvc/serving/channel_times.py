"""How long a client may take to send a request and to read its answer."""

from dataclasses import dataclass


@dataclass(frozen=True)
class TimeLimits:
    """The time limits of `[server:main]`; 0 seconds means no limit.

    header_seconds: from a request's first byte to the end of its header, whatever arrives
    meanwhile. body_seconds, response_seconds: for a body and for a response, plus the time that
    the bytes transferred so far may take at `min_bytes_per_second`. A transfer that is always
    faster than that rate is never cut off.
    """

    header_seconds: float
    body_seconds: float
    response_seconds: float
    min_bytes_per_second: int

    def credit(self, transferred: int) -> float:
        """Return the seconds that this many bytes may take."""
        return transferred / self.min_bytes_per_second


class ChannelTimes:
    """How long a connection has waited for its client. All times are monotonic seconds.

    The start of a transfer is moved forward by the time that the transferred bytes may take, so
    that a steady transfer is never overdue.
    """

    def __init__(self, limits: TimeLimits, now: float) -> None:
        self._limits = limits
        self._idle_since = now
        self._header_since: float | None = None
        self._body_since: float | None = None
        self._response_since: float | None = None
        self._received = 0
        self._sent = 0

    def on_header_bytes(self, now: float) -> None:
        """Record that bytes of a header arrived."""
        if self._header_since is None:
            self._header_since = now

    def on_body_bytes(self, now: float, received: int) -> None:
        """Record how many bytes of a body have arrived; the header is complete."""
        if self._body_since is None:
            self._body_since = now
        self._received = received

    def on_request_complete(self) -> None:
        """Record that a request is complete."""
        self._header_since = self._body_since = None

    def on_idle(self, now: float) -> None:
        """Record that the last response was sent, or that the next request may be read."""
        self._idle_since = now

    def on_bytes_sent(self, sent: int) -> None:
        """Record that bytes of a response were sent."""
        self._sent += sent

    def set_response_pending(self, now: float, *, pending: bool) -> None:
        """Record whether bytes of a response wait for the client to read them."""
        if not pending:
            self._response_since = None
        elif self._response_since is None:
            self._response_since = now
            self._sent = 0

    @property
    def waiting_since(self) -> float:
        """The time since which the client keeps the connection waiting, plus its credit."""
        limits = self._limits
        if self._response_since is not None:
            return self._response_since + limits.credit(self._sent)
        if self._body_since is not None:
            return self._body_since + limits.credit(self._received)
        if self._header_since is not None:
            return self._header_since
        return self._idle_since

    def overdue(self, now: float) -> str | None:
        """Return which part took too long (header, body, answer), or None.

        The time between two requests is limited by `channel_timeout`.
        """
        if self._response_since is not None:
            part, limit = "answer", self._limits.response_seconds
        elif self._body_since is not None:
            part, limit = "body", self._limits.body_seconds
        elif self._header_since is not None:
            part, limit = "header", self._limits.header_seconds
        else:
            return None
        return part if limit and now - self.waiting_since > limit else None
