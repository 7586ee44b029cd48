"""Rows written directly, with what every row of their table needs."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from sqlalchemy import insert
from sqlalchemy.orm import Session

from forumsvc import clock
from forumsvc.models import Base


def complete(
    model: type[Base], values: dict[str, Any], now: datetime | None = None
) -> dict[str, Any]:
    """Return the values of a row with times, a title and a text added where its table has them."""
    now = now or clock.now()
    needed = {
        "title": "T",
        "body": "B",
        "body_html": "<p>B</p>",
        "markup_version": 1,
        "created_at": now,
        "updated_at": now,
        "last_active_at": now,
    }
    if "login" in values:
        needed["login_key"] = values["login"].lower()
    return {name: needed[name] for name in needed if name in model.__table__.c} | values


def insert_rows(db: Session, model: Any, rows: Iterable[dict[str, Any]]) -> list[int]:
    """Insert rows of one moment, uncounted, and return their ids in order."""
    now = clock.now()
    statement = insert(model).returning(model.id, sort_by_parameter_order=True)
    return list(db.scalars(statement, [complete(model, row, now) for row in rows]))


def insert_row(db: Session, model: Any, **values: Any) -> int:
    """Insert a row, uncounted, and return its id."""
    [row_id] = insert_rows(db, model, [values])
    return row_id
