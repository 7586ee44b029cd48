"""Jobs that notify the followers of a new post after its commit, in bounded batches.

A job is inserted in the transaction of the post, and its position moves in the transaction of each
batch. So a killed process loses nothing and notifies nobody twice, and any process of any host can
continue. A batch locks its job first and then users; hiding a post deletes its jobs before it locks
users, so no notification of a hidden post is left.
"""

from collections.abc import Mapping
from datetime import datetime
from functools import cache
from typing import Any, NamedTuple

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    Select,
    bindparam,
    func,
    or_,
    select,
    true,
)
from sqlalchemy.orm import Session

from ...db.base import BigId
from ...db.statements import delete_of, execute, insert_row, update_of
from ...models import Notification, NotificationJob, NotificationType, Reply, Topic, User
from ...queries.user_locks import select_users_for_update
from . import notify, recipients

BATCH_SIZE = 200
"""Followers per transaction, which holds SQLite's write lock, or their rows, for about 10 ms."""
_CANDIDATES_PER_RECIPIENT = 5
"""How many followers a batch examines for each that it may notify."""
_LOCK_TIMEOUT = "250ms"
_MAX_JOBS = 100
_RECIPIENTS = bindparam("recipients", type_=BigId, expanding=True)
_ENQUEUED = "notification job enqueued"


class PendingJobs(NamedTuple):
    """The pending jobs: the ids of the oldest ones, the number of all, and the oldest time."""

    job_ids: list[int]
    number: int
    oldest_at: datetime | None


def enqueue(db: Session, event: Mapping[str, Any], next_user_id: int) -> None:
    """Insert a job for the followers of a new post whose user ids are not below this one.

    event: as `notify.event_values` returns it; the mentioned users and the topic's author have been
    notified already.
    """
    author = [event["author_id"]] if "author_id" in event else []
    names = ("type", "actor_id", "topic_id", "reply_id")
    values = {
        **{name: event[name] for name in names},
        "excluded_ids": [*author, *event["mentioned"]],
        "next_user_id": next_user_id,
        "created_at": event["now"],
    }
    insert_row(db, NotificationJob, **values)
    db.info[_ENQUEUED] = True


def was_enqueued(db: Session) -> bool:
    """Return whether a job was enqueued in a session since the last call."""
    return bool(db.info.pop(_ENQUEUED, False))


def delete_for_topic(db: Session, topic_id: int) -> None:
    """Delete the jobs of a topic and its replies; wait for a running batch."""
    execute(db, _delete_of_topic(), {"topic_id": topic_id})


def delete_for_reply(db: Session, topic_id: int, reply_id: int) -> None:
    """Delete the jobs of a reply; wait for a running batch."""
    execute(db, _delete_of_reply(), {"topic_id": topic_id, "reply_id": reply_id})


def lock_position(db: Session, topic_id: int, reply_id: int) -> int | None:
    """Return from which id of a user on followers are not notified of a reply yet, or None.

    Waits for the batch under way; no other begins until the transaction ends. To be called before
    users are locked.
    """
    here = NotificationJob.topic_id == topic_id, NotificationJob.reply_id == reply_id
    position = select(NotificationJob.next_user_id).where(*here).with_for_update()
    return db.execute(position).scalar_one_or_none()


@cache
def _delete_of_topic() -> Any:
    return delete_of(NotificationJob).where(NotificationJob.topic_id == recipients.TOPIC)


@cache
def _delete_of_reply() -> Any:
    return _delete_of_topic().where(NotificationJob.reply_id == recipients.REPLY)


def pending(db: Connection) -> PendingJobs:
    """Return the pending jobs."""
    found = db.execute(_select_pending()).all()
    if not found:
        return PendingJobs([], 0, None)
    return PendingJobs([job.id for job in found], found[0].number, found[0].created_at)


@cache
def _select_pending() -> Select[Any]:
    job = NotificationJob
    columns: list[Any] = [job.id, job.created_at, func.count().over().label("number")]
    return select(*columns).order_by(job.id).limit(_MAX_JOBS)


def run_batch(db: Session, job_id: int, size: int = BATCH_SIZE) -> bool:
    """Notify the next followers of a job, at most `size`, and return whether any are left.

    Also returns False if the job does not exist or another transaction works on it. Nothing else
    may be done in its transaction. Raises DBAPIError if a user stays locked for long.
    """
    if db.get_bind().dialect.name == "postgresql":
        # While it waits for the lock of one user, it holds those of others.
        db.execute(select(func.set_config("lock_timeout", _LOCK_TIMEOUT, True)))
    job = db.execute(_select_claim(), {"job_id": job_id}).one_or_none()
    if job is None:
        return False
    event = notify.event_values(
        job.actor_id,
        job.created_at,
        NotificationType(job.type),
        topic_id=job.topic_id,
        reply_id=job.reply_id,
    )
    here = NotificationJob.id == job_id
    batch = _Batch([], None) if job.is_hidden else _next_batch(db, job, event, size)
    _notify(db, event, batch.user_ids, size)
    if batch.next_user_id is None:
        db.execute(delete_of(NotificationJob).where(here))
        return False
    db.execute(update_of(NotificationJob).where(here).values(next_user_id=batch.next_user_id))
    return True


@cache
def _select_claim() -> Select[Any]:
    # Hiding a post deletes its jobs, except by hand or in an older version.
    moments = (Topic.deleted_at, Topic.banned_at, Reply.deleted_at)
    hidden = or_(*(moment.is_not(None) for moment in moments)).label("is_hidden")
    job = NotificationJob
    columns: list[Any] = [
        job.type,
        job.actor_id,
        job.topic_id,
        job.reply_id,
        job.excluded_ids,
        job.next_user_id,
        job.created_at,
        hidden,
    ]
    return (
        select(*columns)
        .join(Topic, Topic.id == job.topic_id)
        .outerjoin(Reply, Reply.id == job.reply_id)
        .where(job.id == bindparam("job_id"))
        .with_for_update(of=job, skip_locked=True)
    )


class _Batch(NamedTuple):
    """The next followers to notify, and the user id to continue with: None at the end."""

    user_ids: list[int]
    next_user_id: int | None


def _next_batch(db: Session, job: Row[Any], event: Mapping[str, Any], size: int) -> _Batch:
    """Return the next followers to notify, without those who followed after the event.

    A batch examines more followers than it notifies, so that it gets past many ineligible ones.
    """
    follow = recipients.FOLLOWS[job.type]
    only = follow.user_id >= job.next_user_id, follow.created_at <= job.created_at
    most = _CANDIDATES_PER_RECIPIENT * size
    candidates = (
        recipients.followers(job.type, *only).join(User, User.id == follow.user_id).limit(most)
    )
    is_eligible = _is_eligible(job.type).label("is_eligible")
    found = db.execute(candidates.add_columns(is_eligible), event).all()
    excluded = set(job.excluded_ids)
    user_ids: list[int] = []
    for user_id, is_free in found:
        if is_free and user_id not in excluded:
            user_ids.append(user_id)
        if len(user_ids) == size:
            return _Batch(user_ids, user_id + 1)
    return _Batch(user_ids, found[-1].user_id + 1 if len(found) == most else None)


def _notify(db: Session, event: Mapping[str, Any], user_ids: list[int], size: int) -> None:
    """Notify the eligible users, and increment their unread count."""
    is_recipient = User.id.in_(user_ids) & _is_eligible(event["type"])
    locked = list(db.scalars(select_users_for_update(is_recipient), event))
    if not locked:
        return
    # Always of one length, so that the same prepared statement is used.
    values = {**event, "recipients": locked + locked[:1] * (size - len(locked))}
    inserted = execute(db, _insert_notifications(event["type"]), values)
    notify.increment_unread(db, [each.user_id for each in inserted])


@cache
def _insert_notifications(type_: str) -> Any:
    # Evaluated again: it may have changed during the wait for the locks.
    is_recipient = User.id.in_(_RECIPIENTS) & _is_eligible(type_)
    inserted = notify.insert_notifications(is_recipient, notify.TYPE, notify.MENTION_TYPE)
    return inserted.returning(Notification.user_id)


def _is_eligible(type_: str) -> ColumnElement[bool]:
    is_reply = type_ == NotificationType.TOPIC_REPLY
    return recipients.has_no_unread_reply() if is_reply else true()
