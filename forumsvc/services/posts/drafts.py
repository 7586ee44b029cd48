"""Drafts: texts that people have begun, kept until they send them.

The caller of `save` has locked the user, so of two devices the second finds what the first saved.
"""

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import bindparam, select
from sqlalchemy.orm import Session, aliased

from ...db.expired_rows import ExpiredRows
from ...db.statements import delete_of, delete_row, execute, insert_row, update_of
from ...models import Draft

MOST = 50
"""How many drafts a user has; a further one takes the place of the one changed longest ago."""
KEEP = timedelta(days=60)
"""How long a draft is kept that nobody changes."""

_VALUES = ("title", "body", "node_id", "form", "updated_at")
_BY_KEY = (Draft.user_id == bindparam("owner_id"), Draft.key == bindparam("draft_key"))
_UPDATE: Any = (
    update_of(Draft)
    .where(*_BY_KEY)
    .values({name: bindparam(name) for name in _VALUES})
    .returning(Draft.id)
)
_other = aliased(Draft, name="other")
_NEWEST_OTHERS = (
    select(_other.id)
    .where(_other.user_id == bindparam("owner_id"), _other.key != bindparam("draft_key"))
    .order_by(_other.updated_at.desc(), _other.id.desc())
    .limit(MOST - 1)
)
_DELETE_SURPLUS: Any = delete_of(Draft).where(
    Draft.user_id == bindparam("owner_id"),
    Draft.key != bindparam("draft_key"),
    Draft.id.not_in(_NEWEST_OTHERS),
)


def save(
    db: Session,
    user_id: int,
    now: datetime,
    key: str,
    *,
    title: str = "",
    body: str = "",
    node_id: int | None = None,
    form: str | None = None,
) -> bool:
    """Save a whole draft under a key of the user's; return whether it is a new one.

    form: names the form of a page that saves it.
    """
    own = {"owner_id": user_id, "draft_key": key}
    values = {"title": title, "body": body, "node_id": node_id, "form": form, "updated_at": now}
    if execute(db, _UPDATE, {**own, **values}):
        return False
    insert_row(db, Draft, user_id=user_id, key=key, created_at=now, **values)
    execute(db, _DELETE_SURPLUS, own)
    return True


def delete(db: Session, user_id: int, key: str | None) -> bool:
    """Delete a draft of a user; return whether there was one. key: None deletes nothing."""
    return key is not None and bool(delete_row(db, Draft, user_id=user_id, key=key))


def expired() -> ExpiredRows:
    """Return the drafts that nobody has changed for `KEEP`."""
    return ExpiredRows(Draft, lambda now: [Draft.updated_at <= now - KEEP])
