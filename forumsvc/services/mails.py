"""Emails as jobs: queued in the transaction of what causes them, sent by the background worker.

The text of an email is made when it is sent: a link that sets a password is a secret, and no secret
is stored. A job says what kind of email it is, for whom, and what its text needs.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import and_, func, or_, select
from sqlalchemy.orm import Session

from ..db.engine import Database
from ..db.statements import delete_of
from ..models import Job, JobKind, MailKind, User
from ..queries.rows import UserRow
from . import jobs
from .notifications import mail_choices, notification_mails

_SENDS_MAIL, _DEFAULTS = "sends_mail", "mail_defaults"
"""The keys in the `info` of a session."""


class Mail(NamedTuple):
    """An email that is to be sent, or was. user_id: whose it is, None where that is not known."""

    kind: MailKind
    recipient: str
    user_id: int | None
    data: Mapping[str, str]
    created_at: datetime


def of_job(job: Any) -> Mail:
    user_id = None if job.key is None else int(job.key)
    kind, recipient, data = (job.data[name] for name in ("kind", "recipient", "data"))
    return Mail(MailKind(kind), recipient, user_id, data, job.created_at)


def is_logged(job: Any) -> bool:
    """Return whether a job is kept for a while after its email was sent or given up.

    That of somebody who was erased is not.
    """
    return bool(job.data["kind"] != MailKind.ACCOUNT_CLOSED)


def configure(database: Database, settings: Mapping[str, Any]) -> None:
    """Let the sessions of a database know whether the service sends email, and new accounts get it.

    What is sent about what happened is `notifications.mail_choices`.
    """
    info = database.session.kw["info"]
    info[_SENDS_MAIL] = settings["mail.delivery"] != "none"
    info[_DEFAULTS] = mail_choices.defaults(settings)


def defaults(db: Session) -> Mapping[str, str]:
    """Return of what a new account gets emails, by `MailTopic`."""
    chosen: Mapping[str, str] = db.info.get(_DEFAULTS, {})
    return chosen


def confirmed_email(user: UserRow) -> str | None:
    """Return the address of a user; None if nobody has confirmed it: it may be a stranger's."""
    return None if user.email_confirmed_at is None else user.email


def enqueue(
    db: Session,
    kind: MailKind,
    recipient: str,
    now: datetime,
    *,
    user_id: int | None = None,
    data: Mapping[str, str] | None = None,
) -> None:
    """Queue an email in the transaction of its cause; do nothing if the service sends none.

    recipient: an address; user_id: whose it is, None where that is not known; data: what the text
    needs besides, no secrets.
    """
    if db.info.get(_SENDS_MAIL, True):
        values = {"kind": str(kind), "recipient": recipient, "data": dict(data or {})}
        jobs.enqueue(db, JobKind.MAIL, now, values, user_id)


def delete_of_user(db: Session, user_id: int) -> None:
    """Delete all emails of a user, and those of nobody known to the address that is theirs."""
    is_confirmed = (User.id == user_id, User.email_confirmed_at.is_not(None))
    address = select(func.lower(User.email)).where(*is_confirmed).scalar_subquery()
    recipient = func.lower(Job.data["recipient"].as_string())
    is_theirs = or_(Job.key == str(user_id), and_(Job.key.is_(None), recipient == address))
    db.execute(delete_of(Job).where(Job.kind == JobKind.MAIL, is_theirs))
    notification_mails.delete_of_user(db, user_id)
