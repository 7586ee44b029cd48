"""The caller of a request, made once from the row of its access token."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

from ..models.user import MODERATORS, Role, UserState, state_at
from ..permissions import Scope
from ..queries.rows import AccessRow

_SCOPES = frozenset(Scope)


class Level:
    """The levels of users that are not roles."""

    NEWBIE = "newbie"
    UNCONFIRMED = "unconfirmed"
    """Reads until the email is confirmed; only the user is told."""
    AWAITING_APPROVAL = "awaiting_approval"
    """Reads until a moderator approves the account; only the user is told."""
    BLOCKED = "blocked"
    DELETED = "deleted"


class Silence(NamedTuple):
    """Why a blocked user may not write, and until when; None: it has no end."""

    reason: str
    until: datetime | None


@dataclass(frozen=True, slots=True)
class Identity:
    """The caller of one request.

    user_id, login: None for a token without a user (client_credentials), and for the operator at
    the command line; level: what the user or the operator may do, None for such a token; scopes:
    those of the token; client_id: the id of the application's row; blocks: whether the user blocks
    anybody; mutes: whether they mute a node; silence: of a blocked user whom somebody gave a
    reason; client_owner_id: for a token without a user, the member who registered the application,
    if one did.
    """

    user_id: int | None
    login: str | None
    level: str | None
    scopes: frozenset[str]
    client_id: int
    blocks: bool = False
    mutes: bool = False
    silence: Silence | None = None
    client_owner_id: int | None = None

    @property
    def is_moderator(self) -> bool:
        """Whether the caller is an active maintainer or admin."""
        return self.level in MODERATORS


def level_of(role: str, state: str, created_at: datetime, now: datetime, newbie: timedelta) -> str:
    """Return a user's level.

    state: at this time (`state_at`); newbie: how long a new member has the level newbie; zero:
    never.
    """
    if state != UserState.ACTIVE:
        return state
    # An account may be newer than the time of the request that creates it.
    if role == Role.MEMBER and newbie and now - created_at < newbie:
        return Level.NEWBIE
    return role


def identify(row: AccessRow, now: datetime, newbie: timedelta, *, must_confirm: bool) -> Identity:
    """Return the identity of a token's row (`oauth.tokens.find_by_access_token`).

    newbie: as for `level_of`; must_confirm: whether users must confirm their e-mail to write.
    """
    level = silence = None
    if row.user_id is not None:
        state = state_at(row.state, row.blocked_until, now)
        level = level_of(row.role, state, row.user_created_at, now, newbie)
        if state == UserState.ACTIVE and must_confirm and row.is_unconfirmed:
            level = Level.UNCONFIRMED
        elif state == UserState.ACTIVE and row.awaits_approval:
            level = Level.AWAITING_APPROVAL
        if state == UserState.BLOCKED and row.blocked_reason is not None:
            silence = Silence(row.blocked_reason, row.blocked_until)
    return Identity(
        user_id=row.user_id,
        login=row.login,
        level=level,
        scopes=frozenset(row.scope.split()) & _SCOPES,
        client_id=row.client_id,
        blocks=bool(row.blocks),
        mutes=bool(row.mutes),
        silence=silence,
        client_owner_id=row.client_owner_id,
    )
