"""Ways to deliver email."""

import os
import smtplib
import socket
import ssl
import threading
import uuid
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from email.message import EmailMessage
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import urlsplit

from ..clock import now, rfc3339

_MOST = 5
"""How many time-outs a whole conversation with a mail server may take."""


class Delivery(Protocol):
    """A way to deliver email."""

    def deliver(self, message: EmailMessage) -> int | None:
        """Deliver the message; return the reply code of the server, None where there is none.

        Raises OSError (smtplib's errors are subclasses).
        """


@dataclass(frozen=True, slots=True)
class FolderDelivery:
    """Writes each message to a file named by its time, for development and tests."""

    folder: Path

    def deliver(self, message: EmailMessage) -> None:
        """Write the message atomically; return None."""
        self.folder.mkdir(parents=True, exist_ok=True)
        name = f"{rfc3339(now()).replace(':', '')}-{uuid.uuid4().hex[:8]}"
        unfinished = self.folder / f"{name}.part"
        unfinished.write_bytes(bytes(message))
        os.replace(unfinished, self.folder / f"{name}.eml")


@dataclass(frozen=True, slots=True)
class SmtpDelivery:
    """Sends messages to an SMTP server (RFC 5321). security: none, starttls or tls; user: empty
    for no authentication; timeout: seconds; helo_name: what EHLO says (RFC 5321 §4.1.1.1), empty
    for the name of this machine.
    """

    host: str
    port: int
    security: str
    user: str
    password: str
    timeout: float
    helo_name: str = ""

    def deliver(self, message: EmailMessage) -> int | None:
        """Send the message to its only recipient; return the server's reply code."""
        with self._open() as server:
            server.send_message(message)
            return server.reply_code

    def check(self) -> None:
        """Connect and authenticate, as for a message. Raises OSError if the server refuses."""
        with self._open() as server:
            server.ehlo_or_helo_if_needed()

    def _open(self) -> "_Smtp | _SmtpTls":
        try:
            server = self._connect()
        except ValueError as error:
            raise smtplib.SMTPException("mail.host is no name of a host") from error
        try:
            self._log_in(server)
        except BaseException as error:
            server.close()
            if isinstance(error, ValueError):  # no fault of a message: a letter of the password
                raise smtplib.SMTPException("the log-in cannot be sent") from error
            raise
        return server

    def _log_in(self, server: smtplib.SMTP) -> None:
        if self.security == "starttls":
            server.starttls(context=ssl.create_default_context())
        if self.user:
            server.login(self.user, self.password)

    def _connect(self) -> "_Smtp | _SmtpTls":
        options: dict[str, Any] = {"timeout": self.timeout}
        options["local_hostname"] = self.helo_name or None
        if self.security == "tls":
            context = ssl.create_default_context()
            return _SmtpTls(self.host, self.port, context=context, **options)
        return _Smtp(self.host, self.port, **options)


class _Smtp(smtplib.SMTP):
    """An SMTP connection that keeps the reply to the last message, which alone says its fate.

    Its time-out is that of each answer; a server that goes on answering is left after `_MOST`
    times as long.
    """

    reply_code: int | None = None
    _end: threading.Timer | None = None

    def connect(self, *address: Any, **options: Any) -> tuple[int, bytes]:
        """Connect, and begin to count the time."""
        self._end = threading.Timer(_MOST * float(self.timeout), self._leave)
        self._end.daemon = True  # the process does not wait for it
        self._end.start()
        try:
            return super().connect(*address, **options)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Close the connection."""
        if self._end is not None:
            self._end.cancel()
        super().close()

    def _leave(self) -> None:
        with suppress(OSError):
            if self.sock is not None:
                self.sock.shutdown(socket.SHUT_RDWR)

    def __exit__(self, *args: object) -> None:
        """Say goodbye, whatever the server answers: else a message that it took is sent again."""
        with suppress(OSError):
            self.docmd("QUIT")
        self.close()

    def data(self, msg: Any) -> tuple[int, bytes]:
        """Send the text of a message; return the reply."""
        reply = super().data(msg)
        self.reply_code = reply[0]
        return reply


class _SmtpTls(_Smtp, smtplib.SMTP_SSL):
    """The same, encrypted from its beginning."""


def create_delivery(settings: Mapping[str, Any], ini_dir: Path) -> Delivery | None:
    """Return the delivery that the settings choose, or None if the service sends no email.

    ini_dir: the folder that a relative `mail.dir` refers to.
    """
    match settings["mail.delivery"]:
        case "folder":
            return FolderDelivery(ini_dir / settings["mail.dir"])
        case "smtp":
            return SmtpDelivery(
                settings["mail.host"],
                settings["mail.port"],
                settings["mail.security"],
                settings["mail.user"],
                settings["mail.password"],
                settings["mail.timeout_seconds"],
                settings["mail.helo_name"] or urlsplit(settings["site.url"] or "").hostname or "",
            )
    return None
