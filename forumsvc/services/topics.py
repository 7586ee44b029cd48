"""Creating, editing and deleting topics, and changing their state.

The caller has locked the topic (`queries.topics.by_id(…, lock=True)`), so the ACL's decision still
holds, and has rendered the text before that (`Authoring.render`). `actor_id` None stands for the
service itself. `reason`: a moderator's, of which the author is told.
"""

from collections.abc import Mapping
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import Integer, bindparam
from sqlalchemy.orm import Session

from ..cache.invalidation import update_without_invalidation
from ..db.base import BigId
from ..db.execution import ReadConnection
from ..db.statements import at_least_zero, execute, insert_row, update_of
from ..errors import Invalid
from ..models import EventType, Node, Topic
from ..queries import nodes, topics
from ..queries.rows import TopicRow, TopicStateRow
from . import counters, events
from .content.authoring import Authoring, RenderedPost
from .moderation import post_actions
from .notifications import notify
from .notifications.new_post import notify_and_count


def create(
    db: Session,
    actor_id: int,
    now: datetime,
    authoring: Authoring,
    *,
    title: str,
    node_id: int,
    body: RenderedPost,
) -> TopicRow:
    """Create a topic and return it, as `queries.topics.by_id` does.

    Raises Invalid if the node does not exist, or the text breaks a rule.
    """
    text = authoring.write(db, actor_id, body)
    _count_in_node(db, node_id, 1)
    values = {
        "user_id": actor_id,
        "node_id": node_id,
        "title": title,
        "body": text.body,
        "body_html": text.html,
        "markup_version": text.version,
        "last_active_at": now,
        "created_at": now,
        "updated_at": now,
    }
    insert_row(db, Topic, **values)
    topic = topics.created(db)
    inline = authoring.inline_recipients
    notify_and_count(db, actor_id, now, text.mentioned, topic.id, inline)
    _record(db, EventType.TOPIC_CREATED, actor_id, now, topic.id, node_id)
    return topic


def edit(
    db: Session,
    actor_id: int,
    now: datetime,
    authoring: Authoring,
    topic: TopicRow,
    *,
    title: str,
    node_id: int,
    body: RenderedPost,
) -> None:
    """Change a topic's title, node and body. Raises Invalid as `create` does."""
    moved = node_id != topic.node_id
    edited = (title, body.body) != (topic.title, topic.body)
    visible = topic.deleted_at is None and topic.banned_at is None
    if moved:
        _move(db, topic.node_id, node_id, counted=visible)
    elif not edited:
        return
    rules = authoring.rules
    rules.check_edited_title(db, actor_id, topic.title, title)
    before = topic.body, topic.body_html
    rules.check_edited_body(db, actor_id, before, body.body, body.text)
    text = authoring.write(db, actor_id, body, before=topic.body_html)
    _update(
        db,
        topic.id,
        title=title,
        node_id=node_id,
        body=text.body,
        body_html=text.html,
        markup_version=text.version,
        updated_at=now,
    )
    about: dict[str, Any] = {"author_id": topic.user_id, "topic_id": topic.id}
    details: dict[str, Any]
    if edited:
        _record(db, EventType.TOPIC_UPDATED, actor_id, now, topic.id)
        titles = {"before": {"title": topic.title}, "after": {"title": title}}
        details = titles if title != topic.title else {"changed": ["body"]}
        post_actions.note(db, EventType.TOPIC_UPDATED, actor_id, now, details=details, **about)
    if moved:
        data = {"from_node_id": topic.node_id}
        _record(db, EventType.TOPIC_MOVED, actor_id, now, topic.id, node_id, data)
        details = {"before": {"node_id": topic.node_id}, "after": {"node_id": node_id}}
        post_actions.note(db, EventType.TOPIC_MOVED, actor_id, now, details=details, **about)
    if not visible:
        return
    moved_to = (topic.user_id, node_id) if moved else None
    notify.notify_about_edit(db, actor_id, now, text.mentioned, topic.id, moved=moved_to)


def destroy(
    db: Session,
    actor_id: int | None,
    now: datetime,
    topic: TopicStateRow,
    reason: str | None = None,
) -> bool:
    """Mark a topic as deleted; maintainers still see it. Return whether it changed."""
    return _mark(db, EventType.TOPIC_DELETED, actor_id, now, topic, reason, deleted_at=now)


def restore(
    db: Session,
    actor_id: int | None,
    now: datetime,
    topic: TopicStateRow,
    reason: str | None = None,
) -> bool:
    """Show a deleted topic again, unless it is banned, too. Return whether it changed."""
    return _mark(db, EventType.TOPIC_RESTORED, actor_id, now, topic, reason, deleted_at=None)


def ban(
    db: Session,
    actor_id: int | None,
    now: datetime,
    topic: TopicStateRow,
    reason: str | None = None,
) -> bool:
    """Hide a topic from everybody but its author, maintainers and admins.

    Return whether it changed.
    """
    return _mark(db, EventType.TOPIC_BANNED, actor_id, now, topic, reason, banned_at=now)


def unban(
    db: Session,
    actor_id: int | None,
    now: datetime,
    topic: TopicStateRow,
    reason: str | None = None,
) -> bool:
    """Show a banned topic again. Return whether it changed."""
    return _mark(db, EventType.TOPIC_UNBANNED, actor_id, now, topic, reason, banned_at=None)


def feature(
    db: Session,
    actor_id: int | None,
    now: datetime,
    topic: TopicStateRow,
    reason: str | None = None,
) -> None:
    """Mark a topic as excellent."""
    if topic.excellent_at is None:
        _update(db, topic.id, excellent_at=now)
        _record_action(db, EventType.TOPIC_FEATURED, actor_id, now, topic, reason)


def unfeature(
    db: Session,
    actor_id: int | None,
    now: datetime,
    topic: TopicStateRow,
    reason: str | None = None,
) -> None:
    """Remove the mark `excellent` from a topic."""
    if topic.excellent_at is not None:
        _update(db, topic.id, excellent_at=None)
        _record_action(db, EventType.TOPIC_UNFEATURED, actor_id, now, topic, reason)


def close(
    db: Session,
    actor_id: int | None,
    now: datetime,
    topic: TopicStateRow,
    reason: str | None = None,
) -> None:
    """Close a topic: it accepts no more replies."""
    if topic.closed_at is None:
        _update(db, topic.id, closed_at=now, closed_by_id=actor_id)
        _record_action(db, EventType.TOPIC_CLOSED, actor_id, now, topic, reason)


def open_again(
    db: Session,
    actor_id: int | None,
    now: datetime,
    topic: TopicStateRow,
    reason: str | None = None,
) -> None:
    """Reopen a closed topic."""
    if topic.closed_at is not None:
        _update(db, topic.id, closed_at=None, closed_by_id=None)
        _record_action(db, EventType.TOPIC_OPENED, actor_id, now, topic, reason)


def _mark(
    db: Session,
    type_: EventType,
    actor_id: int | None,
    now: datetime,
    topic: TopicStateRow,
    reason: str | None,
    **mark: datetime | None,
) -> bool:
    """Set, or remove, one of the two times that hide a topic; return whether it changed."""
    [(name, value)] = mark.items()
    marks = {"banned_at": topic.banned_at, "deleted_at": topic.deleted_at}
    if (marks.pop(name) is None) == (value is None):
        return False
    _update(db, topic.id, **mark)
    if not any(marks.values()):
        count = counters.count_topic_shown if value is None else counters.count_topic_hidden
        count(db, topic.id, topic.user_id, topic.node_id)
    _record_action(db, type_, actor_id, now, topic, reason)
    return True


def _record_action(
    db: Session,
    type_: EventType,
    actor_id: int | None,
    now: datetime,
    topic: TopicStateRow,
    reason: str | None,
) -> None:
    _record(db, type_, actor_id, now, topic.id)
    post_actions.note(
        db, type_, actor_id, now, author_id=topic.user_id, topic_id=topic.id, reason=reason
    )


def _record(
    db: Session,
    type_: EventType,
    actor_id: int | None,
    now: datetime,
    topic_id: int,
    node_id: int | None = None,
    data: Mapping[str, Any] | None = None,
) -> None:
    ids = {"topic_id": topic_id, "node_id": node_id}
    events.record(db, type_, now, actor_id=actor_id, data=data, **ids)


def _update(db: Session, topic_id: int, **values: Any) -> None:
    db.execute(update_of(Topic).where(Topic.id == topic_id).values(**values))


def _move(db: Session, old_id: int, new_id: int, *, counted: bool) -> None:
    """Count a visible topic in another node. Raises Invalid if the node does not exist."""
    if counted:
        for node_id, by in sorted([(old_id, -1), (new_id, 1)]):
            _count_in_node(db, node_id, by)
    else:
        check_node(db, new_id)


def _count_in_node(db: Session, node_id: int, by: int) -> None:
    """Add `by` to the topics of a node. Raises Invalid if it does not exist."""
    if not execute(db, _update_topics_count(), {"at": node_id, "by": by}):
        check_node(db, node_id)


@cache
def _update_topics_count() -> Any:
    here = Node.id == bindparam("at", type_=BigId)
    counted = at_least_zero(Node.topics_count + bindparam("by", type_=Integer))
    changed = update_without_invalidation(Node).where(here)
    return changed.values(topics_count=counted).returning(Node.id)


def check_node(db: ReadConnection, node_id: int) -> None:
    """Raise Invalid if the node does not exist."""
    if not nodes.exists(db, node_id):
        raise Invalid("node_id", "there is no such node")
