"""Recording events, in the transaction of what they tell.

Whoever changes something that others outside may want to know of calls `record`. Bulk work that
uses the services (the demo) calls `record_nothing` first.
"""

import json
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from ..db.expired_rows import BATCH_SIZE, ExpiredRows
from ..db.statements import insert_row
from ..models import Event, EventType

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
    addresses and secrets; ids: user_id (whom it concerns), topic_id, reply_id, node_id.
    """
    if records_nothing(db):
        return
    text = None if data is None else json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    values = {"type": str(type_), "actor_id": actor_id, "created_at": now, "data": text, **ids}
    insert_row(db, Event, **values)


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
