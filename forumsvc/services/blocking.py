"""Blocking users at the command line, by login."""

from sqlalchemy.orm import Session

from ..clock import now
from ..errors import Conflict
from ..models import UserState
from ..queries import users
from ..queries.rows import UserRow
from . import accounts
from .accounts import Account
from .moderation import restrictions


def block(db: Session, login: str) -> Account:
    """Block a user: they may only read, and all tokens of their applications are revoked.

    Raises NotFound, or Conflict if the user is deleted or is the last admin.
    """
    accounts.check_not_last_admin(db, login)
    restrictions.block(db, None, now(), lock(db, login).user_id)
    return accounts.find(db, login)


def unblock(db: Session, login: str, *, reason: str | None = None) -> Account:
    """Unblock a user, whose applications can get tokens again.

    Raises NotFound, or Conflict if the user is deleted.
    """
    restrictions.lift(db, None, now(), lock(db, login), reason=reason)
    return accounts.find(db, login)


def lock(db: Session, login: str) -> UserRow:
    """Return a user's row, locked. Raises NotFound, or Conflict if the user is deleted."""
    user = users.by_id(db, accounts.find(db, login).id, lock=True)
    if user is None or user.state == UserState.DELETED:
        raise Conflict(f"The user {login!r} is deleted.")
    return user
