"""Sending emails about what happened: what is done for a job of the kind `notification_mail`.

What an email tells, and its Message-ID, are stored before it is sent: if the process dies
meanwhile, another sends the same one again, by which the reader's program knows it.
"""

import logging
from collections.abc import Mapping
from datetime import datetime, timedelta
from email.errors import MessageError
from email.message import EmailMessage
from typing import NamedTuple
from urllib.parse import urlsplit

from sqlalchemy.orm import Session

from .. import clock
from ..db.engine import Database
from ..mail import Delivery
from ..mail.failures import describe, is_permanent, is_recipient_refused, was_not_taken
from ..mail.message import NoAsciiAddress, create_message, list_id
from ..models import JobKind
from ..queries import notification_mails as reading
from ..services import jobs, site_texts
from ..services.jobs import Claimed
from ..services.notifications import digests, notification_mails, refusals
from ..services.notifications.mail_choices import HOUR
from ..settings import Settings
from . import digest_texts, notification_texts
from .job_runner import Handler, JobFailed

log = logging.getLogger(__name__)

_MINUTE = timedelta(minutes=1)
_NOT_AN_ADDRESS = (ValueError, IndexError, MessageError)
"""What the library for emails raises for some of them."""


class _Begun(NamedTuple):
    """An email that is to be sent.

    until_id, at: the newest notification that it tells of, and its time; is_repeated: whether an
    attempt before may have sent it.
    """

    message: EmailMessage
    until_id: int
    at: datetime
    is_repeated: bool


class _Letter(NamedTuple):
    """A message; None if it is not due yet."""

    message: EmailMessage | None


class NotificationMailer(Handler):
    """Sends one email after the other, a minute so many as the settings say."""

    kind = JobKind.NOTIFICATION_MAIL
    lock = timedelta(minutes=5)
    # For two days.
    pauses = (*(timedelta(minutes=minutes) for minutes in (1, 5, 30)), *(HOUR,) * 47)

    def __init__(self, database: Database, settings: Settings, delivery: Delivery) -> None:
        self._database = database
        self._settings = settings
        self._delivery = delivery
        self.sends_as = settings["site.url"]

    def must_wait(self, db: Session) -> bool:
        """Return whether as many emails were sent within a minute as may be."""
        most = self._settings["mail.per_minute"]
        return most is not None and notification_mails.sent_since(db, clock.now() - _MINUTE) >= most

    def run(self, job: Claimed) -> None:
        """Send an email, unless there is nothing to tell any more. Raises JobFailed."""
        with self._database.session.begin() as db:
            begun = self._begin(db, job) if jobs.hold(db, job) else None
        if begun is None:
            return
        try:
            code = self._delivery.deliver(begun.message)
        except (OSError, *_NOT_AN_ADDRESS) as error:
            is_final = is_permanent(error) or not isinstance(error, OSError)
            self._record_failure(job, begun, error, is_final=is_final)
            raise JobFailed(describe(error), is_final=is_final) from error
        with self._database.session.begin() as db:
            if jobs.hold(db, job):
                self._record_sent(db, job, begun, is_dropped=False)
                jobs.finish(db, job, clock.now())
        log.info("email %s was sent: %s", begun.message["Message-ID"], code or "stored")

    def _begin(self, db: Session, job: Claimed) -> _Begun | None:
        """Store what an email tells, and return it; None where none is to be sent now."""
        now = clock.now()
        begun = notification_mails.due_of(job.data)
        is_digest = notification_mails.is_digest(job)
        is_soon = job.finished_at is not None and now < job.finished_at + HOUR
        if begun is None and is_soon and not is_digest:
            jobs.release_untried(db, job, job.finished_at + HOUR)
            return None
        user_id, topic_id = notification_mails.parse_key(job)
        newest = notification_mails.newest(db, user_id, topic_id, waiting=not is_digest)
        until_id, at = begun or (newest or 0, now)
        letter = self._letter(db, job, until_id, at)
        if letter is None:
            if not is_digest:
                notification_mails.record_sent(
                    db, user_id, topic_id, until_id, now, is_dropped=True
                )
            _end_unsent(db, job, now)
            return None
        if letter.message is None:  # what was due was read meanwhile; there is a job when this is
            _end_unsent(db, job, now)
            return None
        data = {"message_id": letter.message["Message-ID"], "until_id": until_id}
        data = {**job.data, **data, "at": at.isoformat()}
        job.locked_until = jobs.renew(db, job, now, self.lock, data=data)
        return _Begun(letter.message, until_id, at, begun is not None)

    def _letter(self, db: Session, job: Claimed, until_id: int, at: datetime) -> _Letter | None:
        """Return what is sent; None if there is nothing to tell, or nobody to send it to."""
        user_id, topic_id = notification_mails.parse_key(job)
        recipient = reading.recipient(db, user_id)
        if recipient is None or recipient.email is None:
            return None
        if notification_mails.is_digest(job):
            since = datetime.fromisoformat(job.data["since"])
            digest = digest_texts.told(
                db, self._settings, recipient, since=since, until_id=until_id, at=at
            )
            if digest is None:
                return None
            made, stop = digest_texts.rendered(db, self._settings, recipient, digest, at)
        else:
            content = notification_texts.told(
                db, self._settings, recipient, topic_id, until_id=until_id, at=at
            )
            if content is None:
                return None
            if not content.is_due:
                return _Letter(None)
            text = (db, self._settings, recipient, topic_id, content, at)
            made, stop = notification_texts.rendered(*text)
        try:
            message = create_message(
                *(self._settings["mail.sender"], recipient.email, made.subject, made.text),
                message_id=job.data.get("message_id") or self._message_id(job, at),
                sent_at=at,
                html=made.html,
                headers=self._headers(db, topic_id, stop),
            )
        except (NoAsciiAddress, *_NOT_AN_ADDRESS):
            log.warning("no email can be sent to user %d", user_id)
            return None
        return _Letter(message)

    def _record_sent(self, db: Session, job: Claimed, begun: _Begun, *, is_dropped: bool) -> None:
        user_id, topic_id = notification_mails.parse_key(job)
        if not is_dropped:
            refusals.forget(db, user_id)
        told = begun.until_id, begun.at
        if not notification_mails.is_digest(job):
            notification_mails.record_sent(db, user_id, topic_id, *told, is_dropped=is_dropped)
            return
        if not is_dropped:
            digests.record_sent(db, user_id, *told)
        data = {"since": notification_mails.until(begun.at).isoformat()}
        job.locked_until = jobs.renew(db, job, clock.now(), self.lock, data=data)

    def _record_failure(
        self, job: Claimed, begun: _Begun, error: Exception, *, is_final: bool
    ) -> None:
        """Tell nothing of it any more if the email is given up; else of what comes until it is
        sent, if nobody can have this one.
        """
        with self._database.session.begin() as db:
            if not jobs.hold(db, job):
                return
            if is_final or job.attempts > len(self.pauses):
                self._record_sent(db, job, begun, is_dropped=True)
                if is_recipient_refused(error):
                    refusals.count(db, notification_mails.parse_key(job)[0], clock.now())
            elif was_not_taken(error) and not begun.is_repeated:
                data = {**job.data, "message_id": begun.message["Message-ID"]}
                data = {name: data[name] for name in data if name not in ("until_id", "at")}
                job.locked_until = jobs.renew(db, job, clock.now(), self.lock, data=data)

    def _message_id(self, job: Claimed, at: datetime) -> str:
        return f"<notification.{job.id}.{round(at.timestamp() * 1000)}@{self._host()}>"

    def _host(self) -> str:
        """Return the host in what names emails."""
        host = urlsplit(self._settings["site.url"]).hostname or ""
        return (
            host
            if host.isascii() and host
            else str(self._settings["mail.sender"]).partition("@")[2]
        )

    def _headers(self, db: Session, topic_id: int | None, stop: str) -> Mapping[str, str]:
        """Return the further headers. stop: by which a reader unsubscribes."""
        host, address = self._host(), self._settings["mail.unsubscribe_address"]
        site_name = " ".join(site_texts.name_of(db, self._settings).split())
        unsubscribe = f"<{stop}>"
        if address:
            unsubscribe += f", <mailto:{address}?subject=unsubscribe>"
        headers = {
            "List-Id": list_id(site_name, f"notifications.{host}"),
            "List-Unsubscribe": unsubscribe,
        }
        if stop.startswith("https://"):
            headers["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
        if topic_id is not None:
            headers["References"] = f"<topic.{topic_id}@{host}>"
        return headers


def _end_unsent(db: Session, job: Claimed, now: datetime) -> None:
    """End a job that has sent nothing; the time of its last email stays."""
    if job.finished_at is not None and now < job.finished_at + HOUR:
        jobs.finish(db, job, job.finished_at)
    else:
        jobs.delete_claimed(db, job)
