"""The principals that ACLs name.

An active user has `active` and `active:ID` as well as `user` and `user:ID`. A user who is blocked,
has not confirmed their e-mail or awaits approval has only the latter two, so what is granted to
`active…` is denied to them.
"""

from functools import lru_cache

from pyramid.authorization import Everyone

from ..models.user import Role, UserState
from .identity import Identity, Level

EVERYONE: str = Everyone
USER = "user"  # a person, whether they may write or not
ACTIVE = "active"  # a person who may write
ESTABLISHED = "established"  # active and not a newbie
MODERATOR = "moderator"  # maintainers and admins
ADMIN = "admin"

ANYBODY = frozenset({EVERYONE})
_OPERATOR = ANYBODY | {MODERATOR, ADMIN}
_READERS = frozenset({UserState.BLOCKED, Level.UNCONFIRMED, Level.AWAITING_APPROVAL})
"""The levels of people who may only read."""


def user(user_id: int) -> str:
    """Return the principal of one person, whether they may write or not."""
    return f"user:{user_id}"


def active(user_id: int) -> str:
    """Return the principal of one person who may write."""
    return f"active:{user_id}"


@lru_cache(1_000)
def principals_of(identity: Identity | None) -> frozenset[str]:
    """Return all principals of the caller."""
    if identity is None or identity.level is None:
        return ANYBODY
    if identity.user_id is None:
        return _OPERATOR
    held = {EVERYONE, USER, user(identity.user_id)}
    if identity.level not in _READERS:
        held |= {ACTIVE, active(identity.user_id)}
        if identity.level != Level.NEWBIE:
            held.add(ESTABLISHED)
    if identity.is_moderator:
        held.add(MODERATOR)
    if identity.level == Role.ADMIN:
        held.add(ADMIN)
    return frozenset(held)
