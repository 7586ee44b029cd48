"""The built-in user `system`, who acts where the service itself does.

Its row is that of a deleted user: it cannot log in, is in no list, and nobody can follow or block
it. It is created when it is needed first.
"""

from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from ...db.statements import insert_or_ignore
from ...models import Role, User, UserState

LOGIN = "system"
_LOGINS = (LOGIN, *(f"{LOGIN}-{number}" for number in range(1, 10)))
"""The first free one is taken: a member may have had the login before it was reserved."""


def get_or_create(db: Session, now: datetime) -> int:
    """Return the id of the built-in user."""
    found = select(User.id).where(User.login_key.in_(_LOGINS), User.is_builtin.is_(True))
    user_id: int | None = db.scalar(found)
    if user_id is not None:
        return user_id
    for login in _LOGINS:
        values = {"login": login, "login_key": login, "role": Role.MEMBER, "is_builtin": True}
        state = {"state": UserState.DELETED, "created_at": now, "updated_at": now}
        if insert_or_ignore(db, User, **values, **state):
            break
        # Another transaction may have just created it.
        if (user_id := db.scalar(found)) is not None:
            return user_id
    return db.scalars(found).one()
