"""Emails as rows: queued in the transaction of what causes them, sent by the background worker.

The text of an email is made when it is sent: a link that sets a password is a secret, and no secret
is stored. A row says what kind of email it is, for whom, and what its text needs.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from sqlalchemy import Row, func, insert, or_, select, union_all
from sqlalchemy.orm import Session

from ..db.engine import Database
from ..db.execution import SqlConnection
from ..db.expired_rows import ExpiredRows
from ..db.statements import delete_of, update_of
from ..errors import NotFound
from ..models import Mail, MailKind, MailState, User

RETRY_PAUSES = tuple(timedelta(minutes=minutes) for minutes in (1, 5, 30, 2 * 60, 8 * 60))
"""How long to wait after each failed attempt; after the last one an email is given up."""

CLAIM = timedelta(minutes=5)
"""After this time another attempt is made by whoever finds the email: the sender has died."""

_COLUMNS: tuple[Any, ...] = (
    Mail.id,
    Mail.user_id,
    Mail.kind,
    Mail.recipient,
    Mail.data,
    Mail.state,
    Mail.attempts,
    Mail.error,
    Mail.due_at,
    Mail.created_at,
    Mail.finished_at,
)


_SENDS_MAIL = "sends_mail"
"""The key in the `info` of a session."""


def configure(database: Database, settings: Mapping[str, Any]) -> None:
    """Let the sessions of a database know whether the service sends email."""
    database.session.kw["info"][_SENDS_MAIL] = settings["mail.delivery"] != "none"


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
    if not db.info.get(_SENDS_MAIL, True):
        return
    values = {
        "kind": str(kind),
        "recipient": recipient,
        "user_id": user_id,
        "data": dict(data or {}),
        "due_at": now,
        "created_at": now,
    }
    db.execute(insert(Mail).values(values))


def is_any_due(db: SqlConnection, now: datetime) -> bool:
    """Return whether `claim` has something to claim, without a lock."""
    return db.scalar(select(Mail.id).where(*_is_due(now)).limit(1)) is not None


def _is_due(now: datetime) -> tuple[Any, ...]:
    return (Mail.state == MailState.WAITING, Mail.due_at <= now)


def claim(db: Session, now: datetime) -> Row[Any] | None:
    """Return the email that is due first, and keep it from others for `CLAIM`; None without one.

    The attempt is counted at once: one during which the process dies counts, too.
    """
    due = (
        select(Mail.id)
        .where(*_is_due(now))
        .order_by(Mail.due_at, Mail.id)
        .limit(1)
        .with_for_update(skip_locked=True)
        # PostgreSQL could run a subquery once for each row, and find another email each time.
        .cte("due")
    )
    claimed = update_of(Mail).where(Mail.id.in_(select(due.c.id)))
    return db.execute(
        claimed.values(due_at=now + CLAIM, attempts=Mail.attempts + 1).returning(*_COLUMNS)
    ).one_or_none()


def mark_sent(db: Session, mail_id: int, now: datetime) -> None:
    """Record that a server has taken an email."""
    _finish(db, mail_id, now, state=MailState.SENT, error=None)


def mark_failed(
    db: Session, mail: Any, now: datetime, error: str, *, is_permanent: bool
) -> datetime | None:
    """Record a failed attempt; return when the next one is due, or None if it is given up.

    mail: as `claim` returned it; error: without the texts of the server.
    """
    if is_permanent or mail.attempts > len(RETRY_PAUSES):
        _finish(db, mail.id, now, state=MailState.FAILED, error=error)
        return None
    due_at = now + RETRY_PAUSES[mail.attempts - 1]
    db.execute(update_of(Mail).where(Mail.id == mail.id).values(due_at=due_at, error=error))
    return due_at


def _finish(db: Session, mail_id: int, now: datetime, **columns: Any) -> None:
    db.execute(update_of(Mail).where(Mail.id == mail_id).values(finished_at=now, **columns))


def discard(db: Session, mail_id: int) -> None:
    """Delete an email that has nobody to be sent to."""
    db.execute(delete_of(Mail).where(Mail.id == mail_id))


def delete_of_user(db: Session, user_id: int) -> None:
    """Delete all emails of a user, and those to their addresses."""
    addresses = union_all(
        *(
            select(func.lower(column)).where(User.id == user_id, column.is_not(None))
            for column in (User.email, User.unconfirmed_email)
        )
    )
    is_theirs = or_(Mail.user_id == user_id, func.lower(Mail.recipient).in_(addresses))
    db.execute(delete_of(Mail).where(is_theirs))


def retry(db: Session, mail_id: int, now: datetime) -> None:
    """Make an email due at once, with all its attempts. Raises NotFound if it is sent or gone."""
    again = update_of(Mail).where(Mail.id == mail_id, Mail.state != MailState.SENT)
    values = {"state": MailState.WAITING, "attempts": 0, "due_at": now, "finished_at": None}
    if db.execute(again.values(values).returning(Mail.id)).first() is None:
        raise NotFound(f"There is no unsent email {mail_id}.")


def newest(db: SqlConnection, state: MailState | None, limit: int) -> Sequence[Row[Any]]:
    """Return the newest emails, at most `limit`. state: only those; None: all."""
    query = select(*_COLUMNS).order_by(Mail.id.desc()).limit(limit)
    return db.execute(query if state is None else query.where(Mail.state == state)).all()


class Waiting(NamedTuple):
    """The emails that wait: their number, and when the oldest was queued."""

    number: int
    oldest_at: datetime | None


def waiting(db: SqlConnection) -> Waiting:
    """Count the emails that wait."""
    query = select(func.count(), func.min(Mail.created_at))
    return Waiting(*db.execute(query.where(Mail.state == MailState.WAITING)).one())


def given_up_since(db: SqlConnection, moment: datetime) -> int:
    """Count the emails that were given up at that time or later."""
    failed = (Mail.state == MailState.FAILED, Mail.finished_at >= moment)
    return db.scalar(select(func.count()).select_from(Mail).where(*failed)) or 0


def expired(keep: timedelta) -> tuple[ExpiredRows, ExpiredRows]:
    """Return the emails that may be deleted: by the end of each, and out of date while they wait.

    keep: how long after they were sent or given up, or were to be sent.
    """
    is_waiting = Mail.state == MailState.WAITING
    return (
        ExpiredRows(Mail, lambda now: [Mail.finished_at <= now - keep]),
        ExpiredRows(Mail, lambda now: [is_waiting, Mail.due_at <= now - keep]),
    )
