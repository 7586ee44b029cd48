"""Hiding, deleting and restoring many posts of one user: ordered at once, done by the worker.

Each post is a transaction of its own, so others wait for one post only, and the log has a record of
each. An order that is interrupted goes on where it was.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from sqlalchemy import Select, select
from sqlalchemy.orm import Session, aliased

from ...clock import rfc3339_or_none
from ...db.execution import SqlConnection
from ...db.statements import insert_row, last_inserted_id, update_of
from ...log_lines import REQUEST_ID
from ...models import AdminAction, AuditRecord, EventType, Reply, Sweep, SweepAction, Topic, Via
from ...queries import replies as reply_queries
from ...queries import topics as topic_queries
from .. import replies, topics
from . import audit_log

_PREFIX = "sweep-"
_HIDING = (EventType.TOPIC_BANNED, EventType.TOPIC_DELETED, EventType.REPLY_DELETED)


def order(
    db: Session,
    actor_id: int | None,
    now: datetime,
    user_id: int,
    action: SweepAction,
    *,
    since: datetime | None,
    reason: str | None = None,
) -> int:
    """Order a sweep of a user's posts, and return its id.

    actor_id: None at the command line; since: only the posts from that time on, or for RESTORE what
    was swept from that time on; None: all; reason: for the log.
    """
    values = {"user_id": user_id, "action": str(action), "since": since, "reason": reason}
    insert_row(db, Sweep, **values, actor_id=actor_id, created_at=now)
    sweep_id: int = db.scalars(select(last_inserted_id(Sweep))).one()
    details = {"action": str(action), "since": rfc3339_or_none(since), "sweep": _name(sweep_id)}
    audit_log.record(
        db,
        AdminAction.POSTS_SWEPT,
        now,
        actor_id=actor_id,
        reason=reason,
        details=details,
        user_id=user_id,
    )
    return sweep_id


def pending(db: SqlConnection) -> int | None:
    """Return the id of the first order that is not finished, or None, without a lock."""
    found: int | None = db.scalar(_pending().order_by(Sweep.id).limit(1))
    return found


def _pending() -> Select[Any]:
    return select(Sweep.id).where(Sweep.finished_at.is_(None))


def sweep_next(db: Session, now: datetime, sweep_id: int) -> bool:
    """Deal with the next post of an order; return False if there was none, so it is finished."""
    locked = select(Sweep).where(Sweep.id == sweep_id).with_for_update()
    sweep = db.execute(locked).scalar_one()
    if sweep.finished_at is not None:
        return False
    with _request_id(_name(sweep_id)):
        values = _sweep_topic(db, now, sweep) or _sweep_reply(db, now, sweep)
    more = values is not None
    changed = values if values is not None else {"finished_at": now}
    db.execute(update_of(Sweep).where(Sweep.id == sweep_id).values(**changed))
    return more


def _sweep_topic(db: Session, now: datetime, sweep: Sweep) -> dict[str, Any] | None:
    """Deal with the next topic; return the columns of the order that change, None without one."""
    is_restored = sweep.action == SweepAction.RESTORE
    found = db.scalar(_swept(sweep).limit(1) if is_restored else _topics_of(sweep).limit(1))
    if found is None:
        return None
    topic = topic_queries.state(db, found, lock=True)
    if topic is not None:
        if is_restored:
            topics.unban(db, sweep.actor_id, now, topic)
            topics.restore(db, sweep.actor_id, now, topic)
        else:
            act = topics.ban if sweep.action == SweepAction.HIDE else topics.destroy
            act(db, sweep.actor_id, now, topic)
    return {"last_topic_id": found, "changed_count": sweep.changed_count + 1}


def _sweep_reply(db: Session, now: datetime, sweep: Sweep) -> dict[str, Any] | None:
    is_restored = sweep.action == SweepAction.RESTORE
    statement = _swept(sweep, of_replies=True) if is_restored else _replies_of(sweep)
    found = db.scalar(statement.limit(1))
    if found is None:
        return None
    reply = reply_queries.by_id(db, found, lock=True)
    if reply is not None:
        act = replies.restore if is_restored else replies.destroy
        act(db, sweep.actor_id, now, reply)
    return {"last_reply_id": found, "changed_count": sweep.changed_count + 1}


def _topics_of(sweep: Sweep) -> Select[Any]:
    visible = (Topic.deleted_at.is_(None), Topic.banned_at.is_(None))
    own = select(Topic.id).where(Topic.user_id == sweep.user_id, *visible)
    own = own.where(Topic.id > sweep.last_topic_id).order_by(Topic.id)
    return own if sweep.since is None else own.where(Topic.created_at >= sweep.since)


def _replies_of(sweep: Sweep) -> Select[Any]:
    own = select(Reply.id).where(Reply.user_id == sweep.user_id, Reply.deleted_at.is_(None))
    own = own.where(Reply.id > sweep.last_reply_id).order_by(Reply.id)
    return own if sweep.since is None else own.where(Reply.created_at >= sweep.since)


def _swept(sweep: Sweep, *, of_replies: bool = False) -> Select[Any]:
    """Return the topics or replies of the user that earlier orders have hidden or deleted, and no
    moderator after that.
    """
    column: Any = AuditRecord.reply_id if of_replies else AuditRecord.topic_id
    last = sweep.last_reply_id if of_replies else sweep.last_topic_id
    later = aliased(AuditRecord)
    same = later.reply_id if of_replies else later.topic_id
    is_reply, is_later_reply = AuditRecord.reply_id.is_not(None), later.reply_id.is_not(None)
    by_moderator = (
        select(later.id)
        .where(same == column, is_later_reply if of_replies else ~is_later_reply)
        .where(later.id > AuditRecord.id, later.action.in_(_HIDING), later.via != str(Via.AUTO))
    )
    found = (
        select(column)
        .where(AuditRecord.user_id == sweep.user_id, is_reply if of_replies else ~is_reply)
        .where(AuditRecord.request_id.startswith(_PREFIX), AuditRecord.via == str(Via.AUTO))
        .where(column > last, ~by_moderator.exists())
        .order_by(column)
    )
    return found if sweep.since is None else found.where(AuditRecord.created_at >= sweep.since)


def _name(sweep_id: int) -> str:
    """Return what the records of an order have as their request id."""
    return f"{_PREFIX}{sweep_id}"


@contextmanager
def _request_id(name: str) -> Iterator[None]:
    token = REQUEST_ID.set(name)
    try:
        yield
    finally:
        REQUEST_ID.reset(token)
