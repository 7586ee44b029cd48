"""A task that sends the queued emails.

An email is claimed in one transaction, sent outside of any, and marked in another. If the process
dies between them, the email is sent again after `services.mails.CLAIM`, with the same Message-ID.
"""

import logging
import time
from email.errors import MessageError
from email.message import EmailMessage
from typing import Any

from .. import clock
from ..db.engine import Database
from ..db.failures import DATABASE_ERRORS
from ..mail import Delivery
from ..mail.failures import describe, is_permanent
from ..mail.message import create_message
from ..services import mails
from ..settings import Settings
from .mail_texts import text_of

log = logging.getLogger(__name__)

_NOT_AN_ADDRESS = (ValueError, IndexError, MessageError)
"""What the library for emails raises for some of them."""
_COUNT_SECONDS = 10.0
"""How old the numbers of the metrics may be."""


class MailSender:
    """Sends the emails that are due, one after the other.

    sent, failed: how many a server has taken, and how many were given up, in this process; waiting:
    those in the database when they were last counted.
    """

    name = "mail"

    def __init__(self, database: Database, settings: Settings, delivery: Delivery | None) -> None:
        """delivery: None if the service sends no email; then all wait."""
        self.interval = settings["worker.interval_seconds"]
        self._database = database
        self._settings = settings
        self._delivery = delivery
        self.sent = 0
        self.failed = 0
        self.waiting = mails.Waiting(0, None)
        self._count_at = 0.0

    def run(self) -> bool:
        """Send the email that is due first; return whether there was one."""
        with self._database.reads.connect() as connection:
            is_due = self._delivery is not None and mails.is_any_due(connection, clock.now())
            if time.monotonic() >= self._count_at:
                self.waiting = mails.waiting(connection)
                self._count_at = time.monotonic() + _COUNT_SECONDS
        if self._delivery is None or not is_due:
            return False
        with self._database.session.begin() as db:
            mail = mails.claim(db, clock.now())
        if mail is None:
            return False
        self._send(self._delivery, mail)
        return True

    def _send(self, delivery: Delivery, mail: Any) -> None:
        message_id = message_id_of(mail, self._settings["mail.sender"])
        try:
            message = self._message(mail, message_id)
        except DATABASE_ERRORS:
            raise
        except Exception as error:
            # A mistake in one text must not be repeated for ever, nor stop the others.
            if not isinstance(error, _NOT_AN_ADDRESS):
                log.exception("the text of email %s cannot be made", mail.id)
            self._record_failure(mail, message_id, error)
            return
        if message is None:
            with self._database.session.begin() as db:
                mails.discard(db, mail.id)
            return
        try:
            code = delivery.deliver(message)
        except (OSError, *_NOT_AN_ADDRESS) as error:
            self._record_failure(mail, message_id, error)
            return
        with self._database.session.begin() as db:
            mails.mark_sent(db, mail.id, clock.now())
        self.sent += 1
        log.info("email %s %s was sent: %s", mail.id, message_id, code or "stored")

    def _message(self, mail: Any, message_id: str) -> EmailMessage | None:
        with self._database.reads.connect() as connection:
            made = text_of(connection, self._settings, mail)
        if made is None:
            return None
        return create_message(
            self._settings["mail.sender"], *made, message_id=message_id, sent_at=mail.created_at
        )

    def _record_failure(self, mail: Any, message_id: str, error: Exception) -> None:
        # An address that is not valid never becomes valid; it is no OSError.
        permanent = is_permanent(error) or not isinstance(error, OSError)
        with self._database.session.begin() as db:
            due_at = mails.mark_failed(
                db, mail, clock.now(), describe(error), is_permanent=permanent
            )
        self.failed += due_at is None
        next_step = (
            "is given up" if due_at is None else f"is tried again at {clock.rfc3339(due_at)}"
        )
        log.error(
            "email %s %s was not sent (attempt %d): %s; it %s",
            mail.id,
            message_id,
            mail.attempts,
            describe(error),
            next_step,
        )


def message_id_of(mail: Any, sender: str) -> str:
    """Return the Message-ID of an email, which is the same in each attempt. sender: an address."""
    domain = sender.partition("@")[2]
    return f"<{mail.id}.{round(mail.created_at.timestamp() * 1000)}@{domain}>"
