"""Jobs that notify the followers of a new post after its commit, in bounded batches.

A job is inserted in the transaction of the post, and its position moves in the transaction of each
batch. So a killed process loses nothing and notifies nobody twice. A batch locks its job first and
then users; hiding a post deletes its jobs before it locks users, so no notification of a hidden
post is left.
"""

from collections.abc import Mapping
from datetime import datetime
from functools import cache
from typing import Any, NamedTuple

from sqlalchemy import BigInteger, ColumnElement, and_, bindparam, func, select, true
from sqlalchemy.orm import Session

from ...db.base import BigId
from ...db.statements import delete_of, execute
from ...models import Job, JobKind, Notification, NotificationType, User
from ...queries.user_locks import select_users_for_update
from .. import jobs
from ..jobs import Claimed
from . import notify, recipients

BATCH_SIZE = 200
"""Followers per transaction, which holds SQLite's write lock, or their rows, for about 10 ms."""
_CANDIDATES_PER_RECIPIENT = 5
"""How many followers a batch examines for each that it may notify."""
_LOCK_TIMEOUT = "250ms"
_RECIPIENTS = bindparam("recipients", type_=BigId, expanding=True)


def enqueue(db: Session, event: Mapping[str, Any], next_user_id: int) -> None:
    """Insert a job for the followers of a new post whose user ids are not below this one.

    event: as `notify.event_values` returns it; the mentioned users and the topic's author have been
    notified already.
    """
    author = [event["author_id"]] if "author_id" in event else []
    data = {
        **{name: event[name] for name in ("type", "actor_id", "reply_id")},
        "excluded_ids": [*author, *event["mentioned"]],
        "next_user_id": next_user_id,
    }
    jobs.enqueue(db, JobKind.NOTIFY, event["now"], data, event["topic_id"])


def delete_for_topic(db: Session, topic_id: int) -> None:
    """Delete the jobs of a topic and its replies; wait for a running batch."""
    db.execute(delete_of(Job).where(*_of_topic(topic_id)))


def delete_for_reply(db: Session, topic_id: int, reply_id: int) -> None:
    """Delete the jobs of a reply; wait for a running batch."""
    db.execute(delete_of(Job).where(*_of_reply(topic_id, reply_id)))


def lock_position(db: Session, topic_id: int, reply_id: int) -> int | None:
    """Return from which id of a user on followers are not notified of a reply yet, or None.

    Waits for the batch under way; no other begins until the transaction ends. To be called before
    users are locked.
    """
    data: Any = db.scalar(select(Job.data).where(*_of_reply(topic_id, reply_id)).with_for_update())
    return None if data is None else int(data["next_user_id"])


def _of_topic(topic_id: int) -> tuple[ColumnElement[bool], ...]:
    return (Job.kind == JobKind.NOTIFY, Job.key == str(topic_id))


def _of_reply(topic_id: int, reply_id: int) -> tuple[ColumnElement[bool], ...]:
    of_job = Job.data["reply_id"].as_string().cast(BigInteger)
    return (*_of_topic(topic_id), of_job == reply_id)


def run_batch(db: Session, job: Claimed, now: datetime, size: int = BATCH_SIZE) -> None:
    """Notify the next followers of a claimed job, at most `size`, and move or finish it.

    Nothing else may be done in its transaction. Raises DBAPIError if a user stays locked for long.
    """
    if db.get_bind().dialect.name == "postgresql":
        # While it waits for the lock of one user, it holds those of others.
        db.execute(select(func.set_config("lock_timeout", _LOCK_TIMEOUT, True)))
    if not jobs.hold(db, job):
        return
    event = notify.event_values(
        job.data["actor_id"],
        job.created_at,
        NotificationType(job.data["type"]),
        topic_id=int(job.key),
        reply_id=job.data["reply_id"],
    )
    batch = _next_batch(db, job, event, size)
    _notify(db, event, batch.user_ids, size)
    if batch.next_user_id is None:
        jobs.finish(db, job, now)
    else:
        jobs.save_progress(db, job, {**job.data, "next_user_id": batch.next_user_id}, due_at=now)


class _Batch(NamedTuple):
    """The next followers to notify, and the user id to continue with: None at the end."""

    user_ids: list[int]
    next_user_id: int | None


def _next_batch(db: Session, job: Claimed, event: Mapping[str, Any], size: int) -> _Batch:
    """Return the next followers to notify, without those who followed after the event.

    A batch examines more followers than it notifies, so that it gets past many ineligible ones.
    """
    type_ = event["type"]
    follow = recipients.FOLLOWS[type_]
    only = follow.user_id >= job.data["next_user_id"], follow.created_at <= job.created_at
    most = _CANDIDATES_PER_RECIPIENT * size
    candidates = (
        recipients.followers(type_, *only).join(User, User.id == follow.user_id).limit(most)
    )
    is_eligible = _is_eligible(type_).label("is_eligible")
    rows = db.execute(candidates.add_columns(is_eligible), event).all()
    excluded = set(job.data["excluded_ids"])
    user_ids: list[int] = []
    for user_id, is_free in rows:
        if is_free and user_id not in excluded:
            user_ids.append(user_id)
        if len(user_ids) == size:
            return _Batch(user_ids, user_id + 1)
    return _Batch(user_ids, rows[-1].user_id + 1 if len(rows) == most else None)


def _notify(db: Session, event: Mapping[str, Any], user_ids: list[int], size: int) -> None:
    """Notify the eligible users, and increment their unread count."""
    is_recipient = User.id.in_(user_ids) & _is_eligible(event["type"])
    locked = list(db.scalars(select_users_for_update(is_recipient), event))
    if not locked:
        return
    # Always of one length, so that the same prepared statement is used.
    values = {**event, "recipients": locked + locked[:1] * (size - len(locked))}
    inserted = execute(db, _insert_notifications(event["type"]), values)
    notify.increment_unread(db, [item.user_id for item in inserted])


@cache
def _insert_notifications(type_: str) -> Any:
    # Evaluated again: it may have changed during the wait for the locks.
    is_recipient = User.id.in_(_RECIPIENTS) & _is_eligible(type_)
    inserted = notify.insert_notifications(is_recipient, notify.TYPE, notify.MENTION_TYPE)
    return inserted.returning(Notification.user_id)


def _is_eligible(type_: str) -> ColumnElement[bool]:
    is_reply = type_ == NotificationType.TOPIC_REPLY
    if not is_reply:
        return true()
    return and_(recipients.has_no_unread_reply(), recipients.has_not_read_reply())
