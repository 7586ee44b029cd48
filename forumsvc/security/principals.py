"""The words that ACLs grant to.

A user in good standing holds `active` and `active:ID` beside `user` and `user:ID`; a blocked one
only the latter two, so whatever is granted to `active…` stays closed to them.
"""

from functools import lru_cache

from pyramid.authorization import Everyone

from ..models.user import Role, UserState
from .identity import Identity, Level

EVERYONE: str = Everyone
USER = "user"  # a person, blocked or not
ACTIVE = "active"  # a person in good standing
ESTABLISHED = "established"  # in good standing and no newcomer
MODERATOR = "moderator"  # maintainers and admins
ADMIN = "admin"

ANYBODY = frozenset({EVERYONE})


def user(user_id: int) -> str:
    """Return the principal of one person, blocked or not."""
    return f"user:{user_id}"


def active(user_id: int) -> str:
    """Return the principal of one person while in good standing."""
    return f"active:{user_id}"


@lru_cache(1_000)
def principals_of(identity: Identity | None) -> frozenset[str]:
    """Return all that the caller holds."""
    if identity is None or identity.user_id is None:
        return ANYBODY
    held = {EVERYONE, USER, user(identity.user_id)}
    if identity.level != UserState.BLOCKED:
        held |= {ACTIVE, active(identity.user_id)}
        if identity.level != Level.NEWBIE:
            held.add(ESTABLISHED)
    if identity.is_moderator:
        held.add(MODERATOR)
    if identity.level == Role.ADMIN:
        held.add(ADMIN)
    return frozenset(held)
