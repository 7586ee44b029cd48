"""Recording events, in the transaction of what they tell.

Whoever changes something that others outside may want to know of calls `record`. Bulk work that
uses the services (the demo) calls `record_nothing` first.
"""

import json
from collections.abc import Mapping
from datetime import datetime, timedelta
from functools import cache
from typing import Any

from sqlalchemy import Insert, String, Text, bindparam, func, insert, literal, select
from sqlalchemy.orm import Session

from ..db.base import BigId, UtcDateTime
from ..db.expired_rows import BATCH_SIZE, ExpiredRows
from ..db.statements import execute
from ..models import Event, EventType, Reply, Topic

_RECORDS_NOTHING = "records no events"


def record_nothing(db: Session) -> None:
    """Record no events in this session, because nobody is to be told of what it does."""
    db.info[_RECORDS_NOTHING] = True


def records_nothing(db: Session) -> bool:
    """Return whether nobody is to be told of what this session does."""
    return _RECORDS_NOTHING in db.info


def record(
    db: Session,
    type_: EventType,
    now: datetime,
    *,
    actor_id: int | None,
    data: Mapping[str, Any] | None = None,
    **ids: int | None,
) -> None:
    """Record an event. On PostgreSQL it is sent with the next statement or the commit.

    actor_id: the user who did it, None at the command line; data: a small JSON object without email
    addresses and secrets; ids: user_id (whom it concerns), topic_id, reply_id, node_id. Without a
    node_id the node is the one that the topic, or the reply's topic, is in at this moment.
    """
    if records_nothing(db):
        return
    text = None if data is None else json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    values = {"type": str(type_), "actor_id": actor_id, "created_at": now, "data": text, **ids}
    post = next((name for name in ("topic_id", "reply_id") if ids.get(name) is not None), None)
    if ids.get("node_id") is None and post is not None:
        values["node_id"] = ids[post]
    else:
        post = None
    execute(db, _insert_event(tuple(values), post), values)


@cache
def _insert_event(names: tuple[str, ...], post: str | None) -> Insert:
    """Return the INSERT of an event.

    post: None, or the name of the id (topic_id, reply_id) whose node is looked up. That id is the
    parameter `node_id`, too: a SELECT of its own would cost the writer a round trip.
    """
    columns: dict[str, Any] = {name: bindparam(name) for name in names}
    post_id = bindparam("node_id", type_=BigId)
    if post == "topic_id":
        columns["node_id"] = select(Topic.node_id).where(Topic.id == post_id).scalar_subquery()
    elif post == "reply_id":
        node = select(Topic.node_id).join(Reply, Reply.topic_id == Topic.id)
        columns["node_id"] = node.where(Reply.id == post_id).scalar_subquery()
    return insert(Event).values(columns)


OF_TOPIC = json.dumps({"reason": "topic"}, separators=(",", ":"))
"""The `data` of events of replies whose topic was deleted or restored."""


def record_of_replies(
    db: Session, type_: EventType, now: datetime, *, actor_id: int | None, topic_id: int
) -> None:
    """Record that a topic was deleted or restored, for each of its replies that is not deleted.

    One statement, however many there are.
    """
    if records_nothing(db):
        return
    values = {"type": str(type_), "actor_id": actor_id, "created_at": now, "topic_id": topic_id}
    execute(db, _insert_of_replies(), values)


@cache
def _insert_of_replies() -> Insert:
    columns: dict[str, Any] = {
        "type": bindparam("type", type_=String),
        "actor_id": bindparam("actor_id", type_=BigId),
        "created_at": bindparam("created_at", type_=UtcDateTime),
        "topic_id": Reply.topic_id,
        "reply_id": Reply.id,
        "node_id": Topic.node_id,
        "data": literal(OF_TOPIC, Text),
    }
    rows = select(*columns.values()).join(Topic, Topic.id == Reply.topic_id)
    rows = rows.where(
        Reply.topic_id == bindparam("topic_id", type_=BigId), Reply.deleted_at.is_(None)
    )
    return insert(Event).from_select([*columns], rows.order_by(Reply.id))


def expired(keep: timedelta) -> ExpiredRows:
    """Return the events that may be deleted. keep: for how long they are kept.

    The newest event stays, so that ids rise for ever.
    """
    # Without this bound the whole table would be read where nothing has expired.
    is_among_oldest = Event.id.in_(select(Event.id).order_by(Event.id).limit(BATCH_SIZE))
    is_newest = Event.id == select(func.max(Event.id)).scalar_subquery()
    return ExpiredRows(
        Event, lambda now: [is_among_oldest, Event.created_at <= now - keep, ~is_newest]
    )
