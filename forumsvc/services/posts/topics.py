"""Creating, editing and deleting topics, and changing their state.

The caller has locked the topic (`queries.topics.by_id(…, lock=True)`), so the ACL's decision still
holds, and has rendered the text before that (`Authoring.render`). `actor_id` None stands for the
service itself. `reason`: a moderator's, of which the author is told.
"""

from datetime import datetime
from functools import partial
from typing import Any, NamedTuple

from sqlalchemy import Integer, bindparam
from sqlalchemy.orm import Session

from ...cache.invalidation import update_without_invalidation
from ...db.base import BigId
from ...db.execution import ReadConnection
from ...db.statements import at_least_zero, execute, insert_row, update_of
from ...errors import Invalid
from ...models import EventType, Node, Topic
from ...models.states import CLOSED, TOPIC_STATES
from ...queries import nodes, topics
from ...queries.rows import TopicRow, TopicStateRow
from ...text.messages import Clause
from ...text.text_rules import with_lf
from .. import events
from ..moderation import actions
from ..moderation.actions import Action
from ..notifications import notify
from ..notifications.new_post import notify_and_count
from . import counters, purge
from .authoring import Authoring, RenderedPost
from .writers import check_writer


class TopicContent(NamedTuple):
    """What an author gives a topic. body: rendered, and not checked yet."""

    title: str
    node_id: int
    body: RenderedPost


def create(
    db: Session, actor_id: int, now: datetime, authoring: Authoring, new: TopicContent
) -> TopicRow:
    """Create a topic and return it, as `queries.topics.by_id` does.

    Raises Invalid if the node does not exist, or the text breaks a rule.
    """
    text = authoring.write(db, actor_id, new.body)
    _count_in_node(db, new.node_id, 1)
    values = {
        "user_id": actor_id,
        "node_id": new.node_id,
        "title": new.title,
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
    ids: dict[str, Any] = {"topic_id": topic.id, "node_id": new.node_id}
    events.record(db, EventType.TOPIC_CREATED, now, actor_id=actor_id, **ids)
    return topic


def edit(
    db: Session,
    actor_id: int,
    now: datetime,
    authoring: Authoring,
    topic: TopicRow,
    new: TopicContent,
) -> None:
    """Change a topic's title, node and body. Raises Forbidden, and Invalid as `create` does."""
    check_writer(db, actor_id, now)
    moved = new.node_id != topic.node_id
    visible = topic.deleted_at is None and topic.banned_at is None
    if moved:
        _move(db, topic.node_id, new.node_id, counted=visible)
    elif (new.title, new.body.body) == (topic.title, with_lf(topic.body)):
        return
    rules = authoring.rules
    rules.check_added(db, actor_id, "title", [topic.title], [new.title])
    before = topic.body, topic.body_html
    rules.check_edited_body(db, actor_id, before, new.body.body, new.body.text)
    text = authoring.write(db, actor_id, new.body, before=topic.body_html)
    _update(
        db,
        topic.id,
        title=new.title,
        node_id=new.node_id,
        body=text.body,
        body_html=text.html,
        markup_version=text.version,
        updated_at=now,
    )
    _record_edit(db, actor_id, now, topic, new)
    if visible:
        moved_to = (topic.user_id, new.node_id) if moved else None
        options: dict[str, Any] = {"most_mentions": authoring.max_mentions, "moved": moved_to}
        notify.notify_about_edit(db, actor_id, now, text.mentioned, topic.id, **options)


def _record_edit(
    db: Session, actor_id: int, now: datetime, topic: TopicRow, new: TopicContent
) -> None:
    action = partial(Action, actor_id=actor_id, at=now, user_id=topic.user_id, topic_id=topic.id)
    details: dict[str, Any]
    if (new.title, new.body.body) != (topic.title, with_lf(topic.body)):
        titles = {"before": {"title": topic.title}, "after": {"title": new.title}}
        details = titles if new.title != topic.title else {"changed": ["body"]}
        actions.record(db, action(EventType.TOPIC_UPDATED, details=details))
    if new.node_id != topic.node_id:
        details = {"before": {"node_id": topic.node_id}, "after": {"node_id": new.node_id}}
        data = {"from_node_id": topic.node_id}
        actions.record(db, action(EventType.TOPIC_MOVED, data=data, details=details))


_CHANGES = {
    change.event: (state, change is state.begin)
    for state in TOPIC_STATES
    for change in (state.begin, state.end)
}
"""Which state of a topic each event begins (True) or ends."""


def change(
    type_: EventType,
    db: Session,
    actor_id: int | None,
    now: datetime,
    topic: TopicStateRow,
    reason: str | None = None,
) -> bool:
    """Change the state of a topic; return whether it was in the other state.

    Raises Conflict where a topic is to be restored whose text was deleted for good.
    """
    state, begins = _CHANGES[type_]
    record = partial(Action, type_, actor_id, now, topic.user_id, topic.id, reason=reason)
    if state.holds(topic) == begins:
        if type_ is EventType.TOPIC_DELETED and actor_id != topic.user_id:
            # A moderator's deletion is a later one, which the author cannot take back.
            _update(db, topic.id, deleted_at=now)
            actions.record_once(db, record(), topic.deleted_at)
        return False
    if type_ is EventType.TOPIC_RESTORED:
        purge.check_restorable(db, Topic, topic.id)
    values: dict[str, Any] = {state.column: now if begins else None}
    if state is CLOSED:
        values["closed_by_id"] = actor_id if begins else None
    _update(db, topic.id, **values)
    if state.hides and not any(other.holds(topic) for other in _HIDING if other is not state):
        count = counters.count_topic_hidden if begins else counters.count_topic_shown
        count(db, topic.id, topic.user_id, topic.node_id)
    actions.record(db, record())
    return True


_HIDING = [state for state in TOPIC_STATES if state.hides]
destroy = partial(change, EventType.TOPIC_DELETED)
restore = partial(change, EventType.TOPIC_RESTORED)
ban = partial(change, EventType.TOPIC_BANNED)
unban = partial(change, EventType.TOPIC_UNBANNED)


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
    if not execute(db, _UPDATE_TOPICS_COUNT, {"at": node_id, "by": by}):
        check_node(db, node_id)


_UPDATE_TOPICS_COUNT: Any = (
    update_without_invalidation(Node)
    .where(Node.id == bindparam("at", type_=BigId))
    .values(topics_count=at_least_zero(Node.topics_count + bindparam("by", type_=Integer)))
    .returning(Node.id)
)


def check_node(db: ReadConnection, node_id: int) -> None:
    """Raise Invalid if the node does not exist."""
    if not nodes.exists(db, node_id):
        raise Invalid("node_id", Clause("there is no such node"))
