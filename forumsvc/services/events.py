"""Recording events, in the transaction of what they tell.

Whoever changes something that others outside may want to know of calls `record`. Bulk work that
uses the services (the demo) calls `record_nothing` first.
"""

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from ..db.statements import delete_of, insert_row
from ..models import Event, EventType

_RECORDS_NOTHING = "records no events"


def record_nothing(db: Session) -> None:
    """Record no events in this session, because nobody is to be told of what it does."""
    db.info[_RECORDS_NOTHING] = True


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
    if _RECORDS_NOTHING in db.info:
        return
    text = None if data is None else json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    values = {"type": str(type_), "actor_id": actor_id, "created_at": now, "data": text, **ids}
    insert_row(db, Event, **values)


def purge(db: Session, until: datetime, limit: int) -> int:
    """Delete the events recorded until that time, of the `limit` oldest; return how many.

    The newest event stays, so that ids rise for ever.
    """
    oldest = select(Event.id, Event.created_at).order_by(Event.id).limit(limit).subquery()
    newest = select(func.max(Event.id)).scalar_subquery()
    old = select(oldest.c.id).where(oldest.c.created_at <= until, oldest.c.id < newest)
    deleted = db.execute(delete_of(Event).where(Event.id.in_(old)).returning(Event.id))
    return len(deleted.all())
