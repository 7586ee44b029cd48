"""Sending emails: what is done for a job of the kind `mail`.

If the process dies between the mail server's answer and the record of it, the email is sent again
when the job's lock has ended, with the same Message-ID.
"""

import logging
from datetime import timedelta
from email.errors import MessageError
from email.message import EmailMessage

from .. import clock
from ..db.engine import Database
from ..db.failures import DATABASE_ERRORS
from ..mail import Delivery
from ..mail.failures import describe, is_permanent
from ..mail.message import NoAsciiAddress, create_message
from ..models import JobKind
from ..services import jobs, mails
from ..services.jobs import Claimed
from ..settings import Settings
from .job_runner import Handler, JobFailed
from .mail_texts import text_of

log = logging.getLogger(__name__)

_NOT_AN_ADDRESS = (ValueError, IndexError, MessageError)
"""What the library for emails raises for some of them."""


class MailSender(Handler):
    """Sends the emails, one after the other."""

    kind = JobKind.MAIL
    lock = timedelta(minutes=5)
    pauses = tuple(timedelta(minutes=minutes) for minutes in (1, 5, 30, 2 * 60, 8 * 60))

    def __init__(self, database: Database, settings: Settings, delivery: Delivery) -> None:
        self._database = database
        self._settings = settings
        self._delivery = delivery
        self.sends_as = settings["site.url"]

    def run(self, job: Claimed) -> None:
        """Send an email; discard it if there is nobody to send it to. Raises JobFailed."""
        try:
            self._send(job)
        except JobFailed as failed:
            is_given_up = failed.is_final or job.attempts > len(self.pauses)
            if is_given_up and not mails.is_logged(job):
                self._discard(job)
            raise

    def _send(self, job: Claimed) -> None:
        message = self._message(job)
        if message is None:
            self._discard(job)
            return
        try:
            code = self._delivery.deliver(message)
        except (OSError, *_NOT_AN_ADDRESS) as error:
            # An address that is not valid never becomes valid; it is no OSError.
            is_final = is_permanent(error) or not isinstance(error, OSError)
            raise JobFailed(describe(error), is_final=is_final) from error
        if mails.is_logged(job):
            with self._database.session.begin() as db:
                jobs.finish(db, job, clock.now())
        else:
            self._discard(job)
        log.info("email %s was sent: %s", message["Message-ID"], code or "stored")

    def _discard(self, job: Claimed) -> None:
        with self._database.session.begin() as db:
            jobs.delete_claimed(db, job)

    def _message(self, job: Claimed) -> EmailMessage | None:
        sender = self._settings["mail.sender"]
        try:
            with self._database.reads.connect() as connection:
                made = text_of(connection, self._settings, mails.of_job(job))
            if made is None:
                return None
            message_id = message_id_of(job, sender)
            return create_message(sender, *made, message_id=message_id, sent_at=job.created_at)
        except DATABASE_ERRORS:
            raise
        except NoAsciiAddress as error:
            raise JobFailed(str(error), is_final=True) from error
        except Exception as error:
            if not isinstance(error, _NOT_AN_ADDRESS):
                log.exception("the text of mail job %s cannot be made", job.id)
            raise JobFailed(describe(error), is_final=True) from error


def message_id_of(job: Claimed, sender: str) -> str:
    """Return the Message-ID of an email, which is the same in each attempt. sender: an address."""
    domain = sender.partition("@")[2]
    return f"<{job.id}.{round(job.created_at.timestamp() * 1000)}@{domain}>"
