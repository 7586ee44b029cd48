"""Where mail goes."""

import os
import smtplib
import ssl
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from email.message import EmailMessage
from pathlib import Path
from typing import Any, Protocol

from ..clock import now, rfc3339


class Delivery(Protocol):
    """A way for mail to leave."""

    def deliver(self, message: EmailMessage) -> None:
        """Hand the message over. Raises OSError (smtplib's errors among them)."""


@dataclass(frozen=True, slots=True)
class FolderDelivery:
    """A file a message, named by its time: a mailbox for development and for tests."""

    folder: Path

    def deliver(self, message: EmailMessage) -> None:
        """Write the message; nobody sees half of it."""
        self.folder.mkdir(parents=True, exist_ok=True)
        name = f"{rfc3339(now()).replace(':', '')}-{uuid.uuid4().hex[:8]}"
        unfinished = self.folder / f"{name}.part"
        unfinished.write_bytes(bytes(message))
        os.replace(unfinished, self.folder / f"{name}.eml")


@dataclass(frozen=True, slots=True)
class SmtpDelivery:
    """A mail server (RFC 5321). security: none, starttls or tls; user: empty for no log-in;
    timeout: seconds.
    """

    host: str
    port: int
    security: str
    user: str
    password: str
    timeout: float

    def deliver(self, message: EmailMessage) -> None:
        """Send the message to the one recipient that it names."""
        with self._connect() as server:
            self._log_in(server)
            server.send_message(message)

    def check(self) -> None:
        """Greet the server and log in, as for a message. Raises OSError where it refuses."""
        with self._connect() as server:
            self._log_in(server)
            server.ehlo_or_helo_if_needed()

    def _log_in(self, server: smtplib.SMTP) -> None:
        if self.security == "starttls":
            server.starttls(context=ssl.create_default_context())
        if self.user:
            server.login(self.user, self.password)

    def _connect(self) -> smtplib.SMTP:
        if self.security == "tls":
            context = ssl.create_default_context()
            return smtplib.SMTP_SSL(self.host, self.port, timeout=self.timeout, context=context)
        return smtplib.SMTP(self.host, self.port, timeout=self.timeout)


def create_delivery(settings: Mapping[str, Any], ini_dir: Path) -> Delivery | None:
    """Return the way that the settings name, None where no mail leaves.

    here: the folder that a relative `mail.dir` refers to.
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
            )
    return None
