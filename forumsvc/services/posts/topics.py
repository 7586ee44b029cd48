"""Creating, editing and deleting topics, and changing their state.

The caller has locked the topic (`queries.topics.by_id(…, lock=True)`), so the ACL's decision still
holds, and has rendered the text before that (`Authoring.render`). `actor_id` None stands for the
service itself. `reason`: a moderator's, of which the author is told.
"""

from collections.abc import Sequence
from datetime import datetime
from functools import partial
from typing import Any, NamedTuple

from sqlalchemy import Integer, bindparam, select
from sqlalchemy.orm import Session

from ...cache.invalidation import update_without_invalidation
from ...db.base import BigId
from ...db.execution import ReadConnection
from ...db.statements import at_least_zero, execute, insert_row, update_of
from ...errors import Forbidden, Invalid
from ...models import EventType, Node, Topic, User
from ...models.states import CLOSED, TOPIC_STATES
from ...models.user import MODERATORS
from ...queries import nodes, topics
from ...queries.post_versions import Post
from ...queries.rows import TopicRow, TopicStateRow
from ...text.messages import Clause
from ...text.text_rules import with_lf
from .. import events
from ..moderation import actions
from ..moderation.actions import Action
from ..notifications import notify
from ..notifications.new_post import notify_and_count
from . import counters, post_versions, purge, reading
from .authoring import Authoring, RenderedPost
from .writers import check_writer


class TopicContent(NamedTuple):
    """What an author gives a topic. body: rendered, and not checked yet."""

    title: str
    node_id: int
    body: RenderedPost


class TopicChanges(NamedTuple):
    """What an edit gives a topic. None: that stays. body: as of `TopicContent`."""

    title: str | None = None
    node_id: int | None = None
    body: RenderedPost | None = None


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
    reading.begin(db, actor_id, topic.id)
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
    changes: TopicChanges,
) -> None:
    """Change a topic's title, node and body, or some of these.

    A moderator who chooses another node than the author's locks it: then only moderators change
    it. Raises Forbidden, and Invalid as `create` does.
    """
    check_writer(db, actor_id, now)
    title = topic.title if changes.title is None else changes.title
    node_id = topic.node_id if changes.node_id is None else changes.node_id
    moved = node_id != topic.node_id
    is_new_text = changes.body is not None and changes.body.body != with_lf(topic.body)
    visible = topic.deleted_at is None and topic.banned_at is None
    if moved:
        _check_node_lock(db, actor_id, topic)
        _move(db, topic.node_id, node_id, counted=visible)
        reading.keep_places(db, topic.node_id, node_id, topic.id)
    elif title == topic.title and not is_new_text:
        return
    rules = authoring.rules
    rules.check_added(db, actor_id, "title", [topic.title], [title])
    values: dict[str, Any] = {"title": title, "node_id": node_id, "updated_at": now}
    if moved and actor_id != topic.user_id:
        values["node_locked_at"] = now
    if title != topic.title or is_new_text:
        values |= post_versions.keep(db, actor_id, now, Post(Topic, topic.id), topic)
    mentioned: Sequence[int] = ()
    if changes.body is not None:
        before = topic.body, topic.body_html
        rules.check_edited_body(db, actor_id, before, changes.body.body, changes.body.text)
        text = authoring.write(db, actor_id, changes.body, before=topic.body_html)
        values |= {"body": text.body, "body_html": text.html, "markup_version": text.version}
        mentioned = text.mentioned
    _update(db, topic.id, **values)
    _record_edit(db, actor_id, now, topic, title, node_id, is_new_text=is_new_text)
    if visible:
        moved_to = (topic.user_id, node_id) if moved else None
        options: dict[str, Any] = {"most_mentions": authoring.max_mentions, "moved": moved_to}
        notify.notify_about_edit(db, actor_id, now, mentioned, topic.id, **options)


def _check_node_lock(db: Session, actor_id: int, topic: TopicRow) -> None:
    """Raise Forbidden if a moderator has chosen the node, and the author is none."""
    if topic.node_locked_at is None or actor_id != topic.user_id:
        return
    if db.scalar(select(User.role).where(User.id == actor_id)) not in MODERATORS:
        raise Forbidden("A moderator has moved this topic: its author cannot choose another node.")


def _record_edit(
    db: Session,
    actor_id: int,
    now: datetime,
    topic: TopicRow,
    title: str,
    node_id: int,
    *,
    is_new_text: bool,
) -> None:
    action = partial(Action, actor_id=actor_id, at=now, user_id=topic.user_id, topic_id=topic.id)
    details: dict[str, Any]
    if title != topic.title or is_new_text:
        titles = {"before": {"title": topic.title}, "after": {"title": title}}
        details = titles if title != topic.title else {"changed": ["body"]}
        actions.record(db, action(EventType.TOPIC_UPDATED, details=details))
    if node_id != topic.node_id:
        details = {"before": {"node_id": topic.node_id}, "after": {"node_id": node_id}}
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
    """Change the state of a topic.

    Return whether that is recorded: it was in the other state, or staff take over what somebody
    else began. Raises Conflict where a topic is to be restored whose text was deleted for good.
    """
    state, begins = _CHANGES[type_]
    action = Action(type_, actor_id, now, topic.user_id, topic.id, reason=reason)
    values: dict[str, Any] = {state.column: now if begins else None}
    if state is CLOSED:
        values["closed_by_id"] = actor_id if begins else None
    if state.holds(topic) == begins:
        # What staff decide, the author and a sweep that is taken back cannot end.
        if not begins or not actions.take_over(db, action, getattr(topic, state.column)):
            return False
        _update(db, topic.id, **values)
        return True
    if type_ is EventType.TOPIC_RESTORED:
        purge.check_restorable(db, Topic, topic.id)
    _update(db, topic.id, **values)
    if state.hides and not any(other.holds(topic) for other in _HIDING if other is not state):
        count = counters.count_topic_hidden if begins else counters.count_topic_shown
        count(db, topic.id, topic.user_id, topic.node_id)
    # In the order in which a mirror can follow: no reply without its topic.
    of_replies = partial(events.record_of_replies, actor_id=actor_id, topic_id=topic.id)
    if type_ is EventType.TOPIC_DELETED:
        of_replies(db, EventType.REPLY_DELETED, now)
    actions.record(db, action)
    if type_ is EventType.TOPIC_RESTORED:
        of_replies(db, EventType.REPLY_RESTORED, now)
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
        check_node(db, new_id, lock=True)


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


def check_node(db: ReadConnection, node_id: int, *, lock: bool = False) -> None:
    """Raise Invalid if the node does not exist. lock: it stays until the transaction ends."""
    if not nodes.exists(db, node_id, lock=lock):
        raise Invalid("node_id", Clause("there is no such node"))
