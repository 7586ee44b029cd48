"""Emails about what happened: when each is due, and what of it was sent.

A notification has the time at which an email about it is due, from the transaction that writes it.
The background worker makes a job of all that is due in a topic for a user. What the email says is
read when it is sent; so nothing is told that was read, deleted or switched off meanwhile. Two about
a topic are an hour apart: the job stays when it is done, with the time of the last email.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import JSON, Select, String, and_, case, cast, func, literal, or_, select
from sqlalchemy.orm import Session

from ...db.base import UtcDateTime
from ...db.statements import delete_of, insert_of, update_of
from ...models import (
    Job,
    JobKind,
    JobState,
    MailPace,
    MailTopic,
    Notification,
    NotificationType,
    Topic,
    User,
)
from ...models.job import ONCE
from ...queries.notification_mails import follows, of_topic, up_to
from ...queries.user_locks import lock_users
from ..jobs import Claimed
from .mail_choices import HOUR

BATCH_SIZE = 500
"""So many jobs are made, or notifications changed, in a transaction."""
KEEP = timedelta(days=2)
"""How long an email is tried."""
_UNSETTLED = timedelta(seconds=10)
"""How long what is written may take to be committed: so long an email leaves it to the next one."""
_USER, _TOPIC = Notification.user_id, func.coalesce(Notification.topic_id, 0)
_KEY: Any = cast(_USER, String).concat(":").concat(cast(_TOPIC, String))
"""The key of the job that a notification belongs to."""


def parse_key(job: Claimed) -> tuple[int, int | None]:
    """Return the id of the user, and that of the topic, of a job; None of none, or of a digest."""
    user_id, _, topic_id = job.key.partition(":")
    return int(user_id), None if is_digest(job) else int(topic_id) or None


def is_digest(job: Claimed) -> bool:
    """Return whether a job sends a digest."""
    return bool(job.key.endswith(f":{MailTopic.DIGEST}"))


def until(at: datetime) -> datetime:
    """Return up to when an email of that time tells what happened."""
    return at - _UNSETTLED


def enqueue_due(db: Session, now: datetime, *, allow_instant: bool) -> int:
    """Make jobs of what is due, for each user and topic one; return how many, at most `BATCH_SIZE`.

    allow_instant: as the setting; without it nothing is sent before its hour is over.
    """
    since = now - KEEP - HOUR
    is_due: list[Any] = [Notification.mail_at.between(since, now), Notification.read_at.is_(None)]
    if not allow_instant:
        is_due.append(Notification.created_at <= now - HOUR)
    due_at = func.min(Notification.mail_at)
    rows = (
        select(
            literal(str(JobKind.NOTIFICATION_MAIL)).label("kind"),
            _KEY.label("key"),
            literal({}, JSON).label("data"),
            due_at.label("due_at"),
            literal(now, UtcDateTime).label("created_at"),
        )
        .where(*is_due, ~_has_job())
        .group_by(Notification.user_id, Notification.topic_id)
        .order_by(due_at, Notification.user_id)
        .limit(BATCH_SIZE)
    )
    names = ["kind", "key", "data", "due_at", "created_at"]
    insert = insert_of(Job, db.get_bind().dialect.name).from_select(names, rows)
    # `finished_at` stays: it is the time of the last email.
    changed = {"due_at": insert.excluded.due_at, "data": insert.excluded.data}
    anew = {"state": JobState.WAITING, "attempts": 0, "error": None, "locked_until": None}
    once = insert.on_conflict_do_update(
        index_elements=["kind", "key"], index_where=ONCE, set_={**changed, **anew}
    )
    return len(db.scalars(once.returning(Job.id)).all())


def look_again(db: Session, now: datetime) -> int:
    """Let what was sent and not read be due again, where others have replied since; at most
    `BATCH_SIZE`, whose number is returned.

    A follower has one notification for all replies until they read it.
    """
    again = (
        select(Notification.id)
        .join(Topic, Topic.id == Notification.topic_id)
        .join(User, User.id == Notification.user_id)
        .where(
            *(Notification.mailed_at.is_not(None), Notification.read_at.is_(None)),
            *(Notification.mail_at.is_(None), Notification.type == NotificationType.TOPIC_REPLY),
            *(Topic.replied_at > Notification.mailed_at, Topic.user_id != Notification.user_id),
            *(User.mail_reply != MailPace.OFF, follows()),
        )
    )
    return _set(db, again, mail_at=now)


def drop(db: Session, *only: Any) -> int:
    """Send nothing about these notifications, at most `BATCH_SIZE`, whose number is returned."""
    waiting = select(Notification.id).where(Notification.mail_at.is_not(None), *only)
    return _set(db, waiting, mail_at=None)


def drop_useless(db: Session, now: datetime) -> int:
    """Send nothing about what was read, or is due for longer than an email is tried.

    Not what a job has begun with. Returns as `drop`.
    """
    is_old = and_(Notification.mail_at <= now - KEEP - HOUR, ~_has_job())
    return drop(db, or_(Notification.read_at.is_not(None), is_old))


def _has_job() -> Any:
    # Found by its key alone: of a condition on the state an index of it would be read whole, for
    # each notification again.
    same = (Job.kind == JobKind.NOTIFICATION_MAIL, Job.key == _KEY)
    return func.coalesce(select(Job.state).where(*same).scalar_subquery(), "") == JobState.WAITING


def _set(db: Session, which: Select[Any], **values: Any) -> int:
    # Not those that somebody marks as read just now, who may wait for the others.
    which = which.limit(BATCH_SIZE).with_for_update(skip_locked=True, of=Notification)
    changed = update_of(Notification).where(Notification.id.in_(which)).values(**values)
    return len(db.scalars(changed.returning(Notification.id)).all())


def newest(db: Session, user_id: int, topic_id: int | None, *, waiting: bool) -> int | None:
    """Return the newest notification of a user; None without one.

    waiting: only of those in this topic that wait for an email.
    """
    only: tuple[Any, ...] = (Notification.user_id == user_id,)
    if waiting:
        only = (*of_topic(user_id, topic_id), Notification.mail_at.is_not(None))
    return db.scalar(select(func.max(Notification.id)).where(*only))


def record_sent(
    db: Session,
    user_id: int,
    topic_id: int | None,
    until_id: int,
    at: datetime,
    *,
    is_dropped: bool = False,
) -> None:
    """Note that an email of the time `at` has told of all up to the notification `until_id`.

    is_dropped: none has, and none will.
    """
    # As who marks them as read does, so that one waits for the other.
    lock_users(db, User.id == user_id)
    settled_until = until(at)
    waiting = (Notification.mail_at.is_not(None), *up_to(until_id, settled_until))
    sent = update_of(Notification).where(*of_topic(user_id, topic_id), *waiting)
    again = case((Notification.mailed_at.is_not(None), literal(settled_until, UtcDateTime)))
    db.execute(sent.values(mail_at=None, mailed_at=again if is_dropped else settled_until))


def sent_since(db: Session, moment: datetime) -> int:
    """Return how many emails were sent since then."""
    kinds = Job.kind == JobKind.NOTIFICATION_MAIL
    return db.scalar(select(func.count()).where(kinds, Job.finished_at > moment)) or 0


def delete_of_user(db: Session, user_id: int) -> None:
    """Delete what waits to be sent to a user."""
    theirs = Job.key.like(f"{user_id}:%")
    db.execute(delete_of(Job).where(Job.kind == JobKind.NOTIFICATION_MAIL, theirs))


def due_of(data: Mapping[str, Any]) -> tuple[int, datetime] | None:
    """Return the newest notification and the time of an email that was begun; None if none was."""
    if "until_id" not in data:
        return None
    return int(data["until_id"]), datetime.fromisoformat(data["at"])
