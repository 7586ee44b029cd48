"""Hiding, deleting and restoring many posts of one user: ordered at once, done by the worker.

Each post is a transaction of its own, so others wait for one post only, and the log has a record of
each. An order that is interrupted goes on where it was. What an order hides is kept in
`swept_posts`; restoring shows again what has not been changed since.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Row, Select, or_, select
from sqlalchemy.orm import Session

from ...clock import rfc3339_or_none
from ...db.execution import SqlConnection
from ...db.statements import delete_of, insert_row, last_inserted_id, update_of
from ...log_lines import REQUEST_ID, SWEEP_PREFIX
from ...models import AdminAction, JobKind, Reply, Sweep, SweepAction, SweptPost, Topic
from ...queries import replies as reply_queries
from ...queries import topics as topic_queries
from .. import jobs
from ..posts import replies, topics
from . import actions
from .actions import Action

BATCH_SIZE = 100
"""So many posts are looked up at once."""


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
    _enqueue(db, now, sweep_id, user_id)
    details = {"action": str(action), "since": rfc3339_or_none(since), "sweep": _name(sweep_id)}
    action_type = AdminAction.POSTS_SWEPT
    actions.record(db, Action(action_type, actor_id, now, user_id, reason=reason, details=details))
    return sweep_id


def _enqueue(db: Session, now: datetime, sweep_id: int, user_id: int) -> None:
    begin = {"sweep_id": sweep_id, "last_topic_id": 0, "last_reply_id": 0}
    jobs.enqueue(db, JobKind.SWEEP, now, begin, user_id)


def enqueue_unfinished(db: Session, now: datetime) -> None:
    """Begin all orders that are not done anew, where no job is left of them.

    What they have dealt with they leave as it is.
    """
    unfinished = select(Sweep.id, Sweep.user_id).where(Sweep.finished_at.is_(None))
    for sweep in db.execute(unfinished.order_by(Sweep.id)).all():
        _enqueue(db, now, sweep.id, sweep.user_id)


class Post(NamedTuple):
    """A topic or a reply that an order concerns."""

    id: int
    is_reply: bool


Position = dict[str, int]
"""The data of a job: sweep_id, and how far it is: last_topic_id, last_reply_id."""


def by_id(db: SqlConnection, sweep_id: int) -> Row[Any]:
    """Return an order with all its columns. Raises NoResultFound without one."""
    return db.execute(select(*Sweep.__table__.c).where(Sweep.id == sweep_id)).one()


def is_swept(db: SqlConnection, user_id: int, since: datetime) -> bool:
    """Return whether an order hid or deleted posts of a user since then, or is to do so."""
    orders = select(Sweep.id).where(
        Sweep.user_id == user_id,
        Sweep.action != SweepAction.RESTORE,
        or_(Sweep.finished_at >= since, Sweep.finished_at.is_(None)),
    )
    return db.execute(orders.limit(1)).first() is not None


def next_posts(db: SqlConnection, sweep: Any, position: Position) -> list[Post]:
    """Return the next posts that an order concerns, topics first; none if it is done.

    sweep: of `by_id`.
    """
    is_restored = sweep.action == SweepAction.RESTORE
    last_topic, last_reply = position["last_topic_id"], position["last_reply_id"]
    query = _swept(sweep, last_topic) if is_restored else _topics_of(sweep, last_topic)
    topic_ids = db.scalars(query.limit(BATCH_SIZE)).all()
    if topic_ids:
        return [Post(topic_id, is_reply=False) for topic_id in topic_ids]
    query = _replies_of(sweep, last_reply)
    if is_restored:
        query = _swept(sweep, last_reply, of_replies=True)
    return [Post(item, is_reply=True) for item in db.scalars(query.limit(BATCH_SIZE))]


def behind(position: Position, post: Post) -> Position:
    """Return the position after a post."""
    return {**position, "last_reply_id" if post.is_reply else "last_topic_id": post.id}


def sweep_post(db: Session, now: datetime, sweep: Any, post: Post) -> None:
    """Deal with a post, and count it. sweep: of `by_id`."""
    with _request_id(_name(sweep.id)):
        act = _sweep_reply if post.is_reply else _sweep_topic
        act(db, now, sweep, post.id)
    dealt_with = update_of(Sweep).where(Sweep.id == sweep.id)
    db.execute(dealt_with.values(posts_done=Sweep.posts_done + 1))


def finish(db: Session, now: datetime, sweep_id: int) -> None:
    """Note that an order is done; until then it bars the undo of a deletion."""
    db.execute(update_of(Sweep).where(Sweep.id == sweep_id).values(finished_at=now))


def record_failure(db: Session, now: datetime, sweep: Any, post: Post) -> None:
    """Record in the log that an error keeps a post as it is. sweep: of `by_id`."""
    ids = {"user_id": sweep.user_id, "reply_id" if post.is_reply else "topic_id": post.id}
    details = {"action": sweep.action, "sweep": _name(sweep.id), "failed": True}
    actions.record(db, Action(AdminAction.POSTS_SWEPT, None, now, details=details, **ids))


def _sweep_topic(db: Session, now: datetime, sweep: Any, topic_id: int) -> None:
    topic = topic_queries.state(db, topic_id, lock=True)
    if topic is None:
        return
    if sweep.action != SweepAction.RESTORE:
        is_hidden, act = topic.deleted_at is not None, topics.destroy
        if sweep.action == SweepAction.HIDE:
            is_hidden, act = topic.banned_at is not None, topics.ban
        act(db, sweep.actor_id, now, topic)
        # What somebody else has hidden meanwhile, this order does not give back.
        if not is_hidden:
            insert_row(db, SweptPost, sweep_id=sweep.id, topic_id=topic_id, hidden_at=now)
        return
    for hidden in _take_hidden(db, sweep, topic_id):
        if hidden.action == SweepAction.HIDE and hidden.hidden_at == topic.banned_at:
            topics.unban(db, sweep.actor_id, now, topic)
        elif hidden.action == SweepAction.DELETE and hidden.hidden_at == topic.deleted_at:
            topics.restore(db, sweep.actor_id, now, topic)


def _sweep_reply(db: Session, now: datetime, sweep: Any, reply_id: int) -> None:
    reply = reply_queries.by_id(db, reply_id, lock=True)
    if reply is None:
        return
    if sweep.action != SweepAction.RESTORE:
        replies.destroy(db, sweep.actor_id, now, reply)
        if reply.deleted_at is None:
            ids = {"topic_id": reply.topic_id, "reply_id": reply_id}
            insert_row(db, SweptPost, sweep_id=sweep.id, **ids, hidden_at=now)
        return
    hidden = _take_hidden(db, sweep, reply.topic_id, reply_id)
    if any(item.hidden_at == reply.deleted_at for item in hidden):
        replies.restore(db, sweep.actor_id, now, reply)


def _topics_of(sweep: Any, last_id: int) -> Select[Any]:
    query = select(Topic.id).where(Topic.user_id == sweep.user_id, *topic_queries.VISIBLE)
    # Tried again by hand after a long time, it leaves what was written since.
    query = query.where(Topic.id > last_id, Topic.created_at <= sweep.created_at).order_by(Topic.id)
    return query if sweep.since is None else query.where(Topic.created_at >= sweep.since)


def _replies_of(sweep: Any, last_id: int) -> Select[Any]:
    own = select(Reply.id).where(Reply.user_id == sweep.user_id, Reply.deleted_at.is_(None))
    own = own.where(Reply.id > last_id, Reply.created_at <= sweep.created_at).order_by(Reply.id)
    return own if sweep.since is None else own.where(Reply.created_at >= sweep.since)


def _swept(sweep: Any, last_id: int, *, of_replies: bool = False) -> Select[Any]:
    """Return the topics or replies of the user that earlier orders have hidden."""
    column: Any = SweptPost.reply_id if of_replies else SweptPost.topic_id
    of_kind = SweptPost.reply_id.is_not(None) if of_replies else SweptPost.reply_id.is_(None)
    query = select(column).where(*_hidden_by_orders(sweep), of_kind, column > last_id)
    return query.distinct().order_by(column)


def _take_hidden(
    db: Session, sweep: Any, topic_id: int, reply_id: int | None = None
) -> list[Row[Any]]:
    """Return how and when orders hid a post (action, hidden_at), and delete these rows."""
    columns: list[Any] = [SweptPost.id, SweptPost.hidden_at, Sweep.action]
    of_post = (*_hidden_by_orders(sweep), *_is_post(topic_id, reply_id))
    query = select(*columns).join(Sweep, Sweep.id == SweptPost.sweep_id).where(*of_post)
    hidden = list(db.execute(query))
    db.execute(delete_of(SweptPost).where(SweptPost.id.in_([item.id for item in hidden])))
    return hidden


def _hidden_by_orders(sweep: Any) -> list[ColumnElement[bool]]:
    """Return the conditions of what orders hid of the user, from the time on that `sweep` says."""
    orders = select(Sweep.id).where(Sweep.user_id == sweep.user_id)
    hidden: list[ColumnElement[bool]] = [SweptPost.sweep_id.in_(orders)]
    return hidden if sweep.since is None else [*hidden, SweptPost.hidden_at >= sweep.since]


def _is_post(topic_id: int, reply_id: int | None) -> tuple[ColumnElement[bool], ...]:
    return SweptPost.topic_id == topic_id, SweptPost.reply_id.is_not_distinct_from(reply_id)


def _name(sweep_id: int) -> str:
    """Return what the records of an order have as their request id."""
    return f"{SWEEP_PREFIX}{sweep_id}"


@contextmanager
def _request_id(name: str) -> Iterator[None]:
    token = REQUEST_ID.set(name)
    try:
        yield
    finally:
        REQUEST_ID.reset(token)
