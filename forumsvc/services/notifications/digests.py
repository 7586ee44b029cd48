"""Digests: of what is unread, and of new topics, once a day or a week.

The next time stands in the row of the user, and moves in the transaction that inserts the job. The
job stays when it is done, with the time until which the last digest told of new topics.
"""

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from ...cache.invalidation import update_columns
from ...db.statements import insert_of, update_of
from ...models import Job, JobKind, JobState, MailTopic, Notification, User
from ...models.job import ONCE
from ...queries.notification_mails import up_to
from ...queries.user_locks import lock_users
from . import notification_mails
from .mail_choices import INTERVALS

BATCH_SIZE = 100
"""So many users are in a transaction."""
KEEP = timedelta(days=60)
"""How old what a digest tells of may be, and how long a node counts as read."""


def enqueue_due(db: Session, now: datetime, *, sends_mail: bool) -> int:
    """Make a job for each user whose digest is due; return how many, at most `BATCH_SIZE`.

    sends_mail: otherwise nobody gets one, also not when there is a mail server again.
    """
    columns = select(User.id, User.mail_digest, User.digest_at)
    due = columns.where(User.digest_at <= now).order_by(User.digest_at).limit(BATCH_SIZE)
    users = db.execute(due.with_for_update(skip_locked=True)).all()
    for user in users:
        interval = INTERVALS.get(user.mail_digest)
        next_at = None if interval is None else now + interval
        db.execute(update_columns(User, digest_at=next_at).where(User.id == user.id))
        if sends_mail and interval is not None:
            _enqueue(db, user.id, user.digest_at - interval, now)
    return len(users)


def _enqueue(db: Session, user_id: int, since: datetime, now: datetime) -> None:
    """since: from when on topics are new, where no job of before knows it."""
    values = {"kind": str(JobKind.NOTIFICATION_MAIL), "key": f"{user_id}:{MailTopic.DIGEST}"}
    data = {"since": since.isoformat()}
    insert = insert_of(Job, db.get_bind().dialect.name).values(
        **values, data=data, due_at=now, created_at=now
    )
    anew = {"state": JobState.WAITING, "due_at": now, "attempts": 0, "error": None}
    db.execute(
        insert.on_conflict_do_update(
            index_elements=["kind", "key"],
            index_where=ONCE,
            set_={**anew, "locked_until": None},
            where=Job.state != JobState.WAITING,
        )
    )


def record_sent(db: Session, user_id: int, until_id: int, at: datetime) -> None:
    """Note that a digest of the time `at` has told of what was unread up to `until_id`."""
    lock_users(db, User.id == user_id)
    unread: tuple[Any, ...] = (
        *(Notification.user_id == user_id, Notification.read_at.is_(None)),
        *(Notification.mail_at.is_(None), Notification.created_at > at - KEEP),
    )
    until = notification_mails.until(at)
    told = update_of(Notification).where(*unread, *up_to(until_id, until))
    db.execute(told.values(mailed_at=until))
