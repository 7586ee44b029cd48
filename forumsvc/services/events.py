"""Recording events, in the transaction of what they tell.

Whoever changes something that others outside may want to know of calls `record`. Bulk work that
uses the services (the demo) calls `record_nothing` first.
"""

import json
from collections.abc import Mapping
from datetime import datetime, timedelta
from functools import cache
from typing import Any

from sqlalchemy import Insert, bindparam, func, insert, select
from sqlalchemy.orm import Session

from ..db.base import BigId
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
