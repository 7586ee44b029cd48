"""Whether the writer of a text may still write when it is stored.

Rendering takes up to seconds, in which the account may be closed, erased or blocked: what is stored
afterwards would escape the erasure, and the moderator who hides all posts.
"""

from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from ...errors import Forbidden
from ...models import User, UserState, state_at
from ...text.error_codes import ErrorCode
from ...text.messages import Message

_MAY_NOT_WRITE = Message("Your account may not write any more.").coded(ErrorCode.SILENCED)


def check_state(state: str, blocked_until: datetime | None, now: datetime) -> None:
    """Raise Forbidden unless a user in this state may write. state, blocked_until: of the row."""
    if state_at(state, blocked_until, now) != UserState.ACTIVE:
        raise Forbidden(_MAY_NOT_WRITE)


def check_writer(db: Session, user_id: int, now: datetime) -> None:
    """Raise Forbidden unless a user may write; the user, or the post that they edit, is locked.

    An erasure or a sweep that the user's state does not show yet comes to that post later.
    """
    columns = select(User.state, User.blocked_until).where(User.id == user_id)
    check_state(*db.execute(columns).one(), now)


def check_not_deleted(db: Session, user_id: int) -> None:
    """Raise Forbidden if a user, who is locked, is deleted; who is blocked may keep pictures."""
    if db.scalar(select(User.state).where(User.id == user_id)) == UserState.DELETED:
        raise Forbidden(_MAY_NOT_WRITE)
