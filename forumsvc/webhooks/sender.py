"""Sending one webhook: to an address that was checked, within a time, without redirects."""

import socket
import ssl
import threading
import time
from contextlib import suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http.client import HTTPException
from typing import NamedTuple
from urllib.parse import urlsplit

from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import HTTPError

from .addresses import ForbiddenAddress, Target, parse_url, resolve

_MAX_ANSWER_BYTES = 64 * 1024


class Outcome(NamedTuple):
    """What became of an attempt.

    status: of the answer, None without one; error: why it failed, None for 2xx; retry_after:
    seconds that the receiver asks to wait; milliseconds: how long it took.
    """

    status: int | None
    error: str | None
    retry_after: float | None
    milliseconds: int


class WebhookSender:
    """Sends to one receiver after the other, and keeps the connection to the last one open."""

    def __init__(self, user_agent: str, *, allow_private: bool, seconds: float = 15) -> None:
        """seconds: for a whole attempt; allow_private: see `addresses.parse_url`."""
        self._user_agent = user_agent
        self._allow_private = allow_private
        self._seconds = seconds
        self._connection: HTTPConnection | None = None
        self._connected_to: tuple[Target, str] | None = None

    def send(self, url: str, body: bytes, headers: dict[str, str]) -> Outcome:
        """Post a JSON body; raises nothing."""
        began = time.monotonic()
        status: int | None = None
        retry_after: float | None = None
        expired = threading.Event()
        try:
            connection = self._connect(url)
            timer = threading.Timer(self._seconds, self._abort, (connection, expired))
            timer.start()
            try:
                status, retry_after = self._exchange(connection, url, body, headers)
            finally:
                timer.cancel()
            error = None if 200 <= status < 300 else _describe_status(status)
        except ForbiddenAddress as refused:
            error = f"the URL {refused}"
        except (OSError, HTTPError, HTTPException) as failure:
            too_long = expired.is_set() or isinstance(failure, TimeoutError)
            error = f"no answer within {self._seconds:g} s" if too_long else _describe(failure)
            status = None
        if error is not None:
            self.close()
        return Outcome(status, error, retry_after, round((time.monotonic() - began) * 1000))

    def close(self) -> None:
        """Close the connection."""
        if self._connection is not None:
            self._connection.close()
        self._connection = self._connected_to = None

    def _connect(self, url: str) -> HTTPConnection:
        """Return an open connection to an address of the host that is checked now."""
        target = parse_url(url, allow_private=self._allow_private)
        address = resolve(target, allow_private=self._allow_private)
        if self._connection is None or self._connected_to != (target, address):
            self.close()
            self._connection = self._new_connection(target, address)
            self._connected_to = (target, address)
        return self._connection

    def _new_connection(self, target: Target, address: str) -> HTTPConnection:
        if target.scheme == "http":
            connection = HTTPConnection(address, target.port, timeout=self._seconds)
        else:
            connection = HTTPSConnection(
                address,
                target.port,
                timeout=self._seconds,
                ssl_context=ssl.create_default_context(),
                server_hostname=target.host,
                assert_hostname=target.host,
            )
        connection.connect()
        return connection

    def _abort(self, connection: HTTPConnection, expired: threading.Event) -> None:
        """End an attempt that takes too long, in whatever it waits for."""
        expired.set()
        sock = connection.sock
        if sock is not None:
            with suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)

    def _exchange(
        self, connection: HTTPConnection, url: str, body: bytes, headers: dict[str, str]
    ) -> tuple[int, float | None]:
        parts = urlsplit(url)
        path = f"{parts.path or '/'}{'?' if parts.query else ''}{parts.query}"
        connection.request(
            "POST",
            path,
            body,
            {
                **headers,
                "Host": parts.netloc,
                "Content-Type": "application/json",
                "User-Agent": self._user_agent,
            },
            preload_content=False,
            decode_content=False,
        )
        response = connection.getresponse()
        response.read(_MAX_ANSWER_BYTES)
        if not response.closed and response.read(1):
            self.close()  # it has more to say than anybody reads
        return response.status, _retry_after(response.headers.get("Retry-After"))


def _describe_status(status: int) -> str:
    redirect = ": redirects are not followed" if 300 <= status < 400 else ""
    return f"the receiver answered {status}{redirect}"


def _describe(error: Exception) -> str:
    reason = getattr(error, "reason", None)
    return f"{type(error).__name__}: {reason}" if isinstance(reason, str) else type(error).__name__


def _retry_after(header: str | None) -> float | None:
    """Return the seconds of a Retry-After header (RFC 9110 §10.2.3), or None."""
    if header is None:
        return None
    if header.isascii() and header.isdigit():
        return float(header[:6])
    try:
        moment = parsedate_to_datetime(header)
    except ValueError:
        return None
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return max(0.0, (aware - datetime.now(UTC)).total_seconds())
