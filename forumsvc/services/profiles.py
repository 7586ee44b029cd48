"""What users say of themselves."""

from datetime import datetime
from typing import Any

from sqlalchemy.orm import Session

from ..models import User
from ..models.statements import change


def edit(db: Session, user_id: int, now: datetime, **columns: Any) -> None:
    """Set the given columns of a user's profile."""
    if columns:
        db.execute(change(User).where(User.id == user_id).values(updated_at=now, **columns))
