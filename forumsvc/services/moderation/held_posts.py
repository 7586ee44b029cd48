"""Held posts: stored instead of published, until a moderator has decided.

A release is an ordinary creation by the ordinary service at that moment, so ids, counters,
notifications and events are those of a post that is written now. Locks are taken in the order
review, held post, topic, users.
"""

from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import select
from sqlalchemy.orm import Session

from ...db.statements import insert_row, last_inserted_id, update_of
from ...errors import Conflict
from ...models import (
    Decision,
    EventType,
    HeldKind,
    HeldPost,
    HeldState,
    HoldReason,
    ReviewKind,
    User,
    UserState,
    state_at,
)
from ...queries import held_posts, users
from ...queries import topics as topic_queries
from ...queries.held_posts import HeldPostRow
from ...queries.user_locks import lock_users
from ...text.messages import Message
from .. import events
from ..posts import replies, topics
from ..posts.authoring import Authoring, RenderedPost
from ..posts.topics import TopicContent
from ..posts.writers import check_writer
from . import actions, reviews
from .actions import Action

MAX_WAITING = 20
"""How many posts of one user may wait."""


class Publication(NamedTuple):
    """What publishing a held post needs. body: rendered before the first lock."""

    authoring: Authoring
    body: RenderedPost


def hold(
    db: Session,
    actor_id: int,
    now: datetime,
    reason: HoldReason,
    *,
    body: str,
    title: str | None = None,
    node_id: int | None = None,
    topic_id: int | None = None,
) -> int:
    """Store a post that waits for a moderator, and return its id.

    If the same text waits already, nothing is stored, and its id is returned. title, node_id: of a
    topic; topic_id: of the topic that is replied to. Raises Conflict if too many posts of the user
    wait, Forbidden if the user may not write any more.
    """
    # What the same user sends at the same moment waits here, so that it is held once.
    lock_users(db, User.id == actor_id)
    check_writer(db, actor_id, now)
    waiting = held_posts.waiting_equal(db, actor_id, body, title, topic_id)
    if waiting is not None:
        return waiting
    if held_posts.waiting_count(db, actor_id) >= MAX_WAITING:
        raise Conflict(Message("Too many of your posts wait for a moderator."))
    values: dict[str, Any] = {
        "user_id": actor_id,
        "kind": str(HeldKind.TOPIC if topic_id is None else HeldKind.REPLY),
        "node_id": node_id,
        "topic_id": topic_id,
        "title": title,
        "body": body,
        "reason": str(reason),
        "state": str(HeldState.WAITING),
        "created_at": now,
    }
    insert_row(db, HeldPost, **values)
    held_id: int = db.scalars(select(last_inserted_id(HeldPost))).one()
    key = f"held_post:{held_id}"
    reviews.open_review(db, now, ReviewKind.HELD, key, actor_id, held_post_id=held_id)
    data = {"held_id": held_id, "kind": values["kind"]}
    events.record(db, EventType.POST_HELD, now, actor_id=actor_id, user_id=actor_id, data=data)
    return held_id


def release(
    db: Session,
    actor_id: int | None,
    now: datetime,
    held: HeldPostRow,
    publication: Publication,
    reason: str | None,
) -> None:
    """Publish a held post, which is locked, as if its author wrote it now, and tell them.

    actor_id: who decided that, None at the command line; reason: for the author. Raises Conflict if
    it cannot be published any more, Invalid as the ordinary creation does.
    """
    check_waiting(held)
    authoring, body = publication
    author = users.by_id(db, held.user_id)
    if author is None or state_at(author.state, author.blocked_until, now) != UserState.ACTIVE:
        raise Conflict(
            Message("The author cannot write any more, so the post cannot be published.")
        )
    made: Any
    ids: dict[str, int]
    if held.kind == HeldKind.TOPIC:
        new = TopicContent(held.title or "", held.node_id or 0, body)
        made = topics.create(db, held.user_id, now, authoring, new)
        ids = {"topic_id": made.id}
    else:
        topic = topic_queries.state(db, held.topic_id or 0, lock=True)
        if topic is None or topic.deleted_at or topic.banned_at or topic.closed_at:
            raise Conflict(
                Message("The topic accepts no replies any more, so the post cannot be published.")
            )
        made = replies.create(db, held.user_id, now, authoring, topic, body)
        ids = {"topic_id": topic.id, "reply_id": made.id}
    _close(db, now, held.id, HeldState.RELEASED, body="", **{held.kind + "_id": made.id})
    _record(db, EventType.POST_RELEASED, actor_id, now, held, reason, **ids)


def refuse(
    db: Session, actor_id: int | None, now: datetime, held: HeldPostRow, reason: str | None
) -> None:
    """Do not publish a held post, which is locked, and tell its author.

    actor_id: who decided that, None at the command line; reason: for the author. Raises Conflict if
    it waits no more.
    """
    check_waiting(held)
    _close(db, now, held.id, HeldState.REFUSED)
    details = {"topic_id": held.topic_id, "title": held.title}
    _record(db, EventType.POST_REFUSED, actor_id, now, held, reason, **details)


def withdraw(db: Session, now: datetime, held: HeldPostRow) -> None:
    """Take a held post back, for its author. Raises Conflict if it waits no more."""
    key, user_id = f"held_post:{held.id}", held.user_id
    reviews.close_review(db, now, key, Decision.DISMISS, user_id, actor_id=user_id)
    # A moderator may have decided while this waited for the review.
    check_waiting(held_posts.by_id(db, held.id, lock=True) or held)
    _close(db, now, held.id, HeldState.WITHDRAWN, body="")


def check_waiting(held: HeldPostRow) -> None:
    """Raise Conflict if a held post waits no more."""
    if held.state != HeldState.WAITING:
        raise Conflict(Message("The post does not wait any more."))


def _close(db: Session, now: datetime, held_id: int, state: HeldState, **values: Any) -> None:
    closed = update_of(HeldPost).where(HeldPost.id == held_id)
    db.execute(closed.values(state=str(state), closed_at=now, **values))


def _record(
    db: Session,
    subject: EventType,
    actor_id: int | None,
    now: datetime,
    held: HeldPostRow,
    reason: str | None,
    **post: Any,
) -> None:
    """Record what became of a held post, whose text the event does not tell."""
    data = {"held_id": held.id, "kind": held.kind}
    actions.record(
        db, Action(subject, actor_id, now, held.user_id, reason=reason, data=data, **post)
    )
