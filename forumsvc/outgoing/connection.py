"""Calls another host: at an address that was checked, within a time, without redirects."""

import socket
import ssl
import threading
import time
from concurrent.futures import Future
from contextlib import suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http.client import HTTPException
from typing import NamedTuple
from urllib.parse import urlsplit

from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import HTTPError

from .addresses import ForbiddenAddress, Target, is_literal, parse_url, resolve

_MAX_ANSWER_BYTES = 64 * 1024
_MAX_RETRY_AFTER = 24 * 3600.0


class Outcome(NamedTuple):
    """What became of an attempt.

    status: of the answer, None without one; error: why it failed, None for 2xx; retry_after:
    seconds that the receiver asks to wait; milliseconds: how long it took.
    """

    status: int | None
    error: str | None
    retry_after: float | None
    milliseconds: int


class CheckedConnection:
    """Posts to one receiver, and keeps the connection open between the requests."""

    def __init__(self, user_agent: str, *, allow_private: bool, seconds: float = 15) -> None:
        """seconds: for a whole attempt, from the look-up of the name to the end of the answer;
        allow_private: see `addresses.parse_url`.
        """
        self._user_agent = user_agent
        self._allow_private = allow_private
        self._seconds = seconds
        self._connection: HTTPConnection | None = None
        self._connected_to: tuple[Target, str] | None = None
        # One thread for all attempts: a timer for each would cost a fifth of a message.
        self._watch: threading.Thread | None = None
        self._deadline: float | None = None
        self._has_expired = False
        self._closed = threading.Event()

    def post(self, url: str, body: bytes, headers: dict[str, str]) -> Outcome:
        """Post a JSON body; raises nothing."""
        began = time.monotonic()
        status: int | None = None
        retry_after: float | None = None
        self._has_expired = False
        self._deadline = deadline = began + self._seconds
        self._start_watch()
        try:
            connection = self._connect(url, deadline)
            if self._has_expired:
                raise TimeoutError
            status, retry_after = self._exchange(connection, url, body, headers)
            error = None if 200 <= status < 300 else _describe_status(status)
        except ForbiddenAddress as refused:
            error = f"the URL {refused}"
        except (OSError, HTTPError, HTTPException) as failure:
            too_long = self._has_expired or isinstance(failure, TimeoutError)
            error = f"no answer within {self._seconds:g} s" if too_long else _describe(failure)
            status = None
        finally:
            self._deadline = None
        if error is not None:
            self._disconnect()
        return Outcome(status, error, retry_after, round((time.monotonic() - began) * 1000))

    def close(self) -> None:
        """Close the connection for good."""
        self._closed.set()
        self._disconnect()

    def _disconnect(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._connection = self._connected_to = None

    def _connect(self, url: str, deadline: float) -> HTTPConnection:
        """Return an open connection to an address of the host that is checked now.

        deadline: in monotonic seconds.
        """
        target = parse_url(url, allow_private=self._allow_private)
        address = _resolve_until(deadline, target, allow_private=self._allow_private)
        connection = self._connection
        if (
            connection is None
            or self._connected_to != (target, address)
            or not connection.is_connected  # the receiver may have closed it meanwhile
        ):
            self._disconnect()
            seconds = max(deadline - time.monotonic(), 0.001)
            connection = self._connection = self._new_connection(target, address, seconds)
            self._connected_to = (target, address)
            connection.connect()
        return connection

    def _new_connection(self, target: Target, address: str, seconds: float) -> HTTPConnection:
        if target.scheme == "http":
            return HTTPConnection(address, target.port, timeout=seconds)
        return HTTPSConnection(
            address,
            target.port,
            timeout=seconds,
            ssl_context=ssl.create_default_context(),
            server_hostname=target.host,
            assert_hostname=target.host,
        )

    def _start_watch(self) -> None:
        if self._watch is None:
            self._watch = threading.Thread(
                target=self._end_late_attempts, name="outgoing-watch", daemon=True
            )
            self._watch.start()

    def _end_late_attempts(self) -> None:
        while not self._closed.wait(self._seconds / 20):
            deadline = self._deadline
            if deadline is not None and time.monotonic() > deadline:
                self._abort()

    def _abort(self) -> None:
        """End an attempt that takes too long, in whatever it waits for."""
        self._has_expired = True
        connection = self._connection
        sock = None if connection is None else connection.sock
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
                "Host": parse_url(url, allow_private=True).authority,
                "Content-Type": "application/json",
                "User-Agent": self._user_agent,
            },
            preload_content=False,
            decode_content=False,
        )
        response = connection.getresponse()
        response.read(_MAX_ANSWER_BYTES)
        if not response.closed and response.read(1):
            self._disconnect()  # it has more to say than anybody reads
        return response.status, _retry_after(response.headers.get("Retry-After"))


def _resolve_until(deadline: float, target: Target, *, allow_private: bool) -> str:
    """Return what `resolve` does. Raises TimeoutError at the deadline.

    The system's resolver takes no time limit, so its thread is given up.
    """
    if is_literal(target.host):
        return resolve(target, allow_private=allow_private)
    result: Future[str] = Future()

    def look_up() -> None:
        try:
            result.set_result(resolve(target, allow_private=allow_private))
        except UnicodeError:
            result.set_exception(OSError("the host has no valid name"))
        except (OSError, ForbiddenAddress) as error:
            result.set_exception(error)

    threading.Thread(target=look_up, name="outgoing-look-up", daemon=True).start()
    return result.result(max(deadline - time.monotonic(), 0))


def _describe_status(status: int) -> str:
    redirect = ": redirects are not followed" if 300 <= status < 400 else ""
    return f"the receiver answered {status}{redirect}"


def _describe(error: Exception) -> str:
    reason = getattr(error, "reason", None)
    return f"{type(error).__name__}: {reason}" if isinstance(reason, str) else type(error).__name__


def _retry_after(header: str | None) -> float | None:
    """Return the seconds of a Retry-After header (RFC 9110 §10.2.3), a day at most, or None."""
    if header is None:
        return None
    if header.isascii() and header.isdigit():
        return min(float(header[:6]), _MAX_RETRY_AFTER)
    try:
        moment = parsedate_to_datetime(header)
        aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        seconds = (aware - datetime.now(UTC)).total_seconds()
    except (ValueError, OverflowError):
        return None
    return min(max(0.0, seconds), _MAX_RETRY_AFTER)
