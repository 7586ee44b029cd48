"""What users say of themselves."""

from datetime import datetime
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from ..models import User
from ..models.marking import CACHED_COLUMNS
from ..models.statements import change_columns, locking


def edit(db: Session, user_id: int, now: datetime, **columns: Any) -> None:
    """Set the given columns of a user's profile.

    A form sends all its fields, changed or not: a name that stays must not end all cached pages.
    """
    is_user = User.id == user_id
    shown = [User.__table__.c[name] for name in sorted(CACHED_COLUMNS[User] & columns.keys())]
    if shown:
        # Locked, so that what is compared here is what the UPDATE finds.
        before = db.execute(locking(select(*shown).where(is_user), User)).one()
        same = {name for name, value in before._mapping.items() if value == columns[name]}
        columns = {name: value for name, value in columns.items() if name not in same}
    if columns:
        db.execute(change_columns(User, updated_at=now, **columns).where(is_user))
