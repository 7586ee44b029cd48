"""Users, by id, by login, or as `me`."""

from typing import Any

from pyramid.authorization import ALL_PERMISSIONS, Allow, Deny

from ..models import PROFILE_TEXTS, Role, UserState
from ..permissions import UserPermission as May
from ..queries import users
from ..queries.rows import UserRow
from ..security import principals
from ..security.denial import NO_USER
from ..text.error_codes import ErrorCode
from ..text.ids import is_login
from ..text.messages import Message
from .base import Acl, Container, Item, Resource

_OF_ONESELF = (
    *(
        May.VIEW_BLOCKED,
        May.VIEW_MUTED,
        May.VIEW_LIKES,
        May.VIEW_RELATED,
        May.VIEW_EMAIL,
        May.VIEW_EXPORT,
    ),
    *(May.VIEW_RESTRICTIONS, May.CONFIRM, May.EXPORT, May.CLOSE, May.VIEW_MAIL, May.CHOOSE_MAIL),
)
_RESTRICT = (May.SILENCE, May.UNSILENCE, May.WARN)
_TO_OTHERS = (May.FOLLOW, May.UNFOLLOW, May.BLOCK, May.UNBLOCK, May.REPORT, *_RESTRICT)
_RESTRICTED_BY = {
    Role.MEMBER: principals.MODERATOR,
    Role.VIP: principals.MODERATOR,
    Role.MAINTAINER: principals.ADMIN,
}
"""Who may silence and warn a user of a role; nobody an admin."""


class UserItem(Item):
    row: UserRow

    @property
    def row_id(self) -> int:
        return int(self.row.user_id)

    def edit_version(self) -> tuple[Any, ...] | None:
        """Return what users can change of their own profile, for themselves."""
        caller, row = self.root.caller, self.row
        if caller is None or caller.user_id != row.user_id:
            return None
        texts = (getattr(row, text.name) for text in PROFILE_TEXTS)
        emails = (row.email, row.unconfirmed_email, row.email_public, row.locale)
        return (row.user_name, row.user_avatar, *emails, *texts)

    def __acl__(self) -> Acl:
        """Others may follow and block; the user may read and edit their own data."""
        user_id = self.row.user_id
        owner = principals.user(user_id)
        acl: Acl = [
            (Allow, owner, _OF_ONESELF),
            (Allow, principals.MODERATOR, (May.VIEW_RESTRICTIONS, May.VIEW_NOTES)),
            (Allow, principals.active(user_id), (May.UPDATE, May.DESTROY)),
            (Allow, principals.ADMIN, (May.VIEW_EMAIL, May.DESTROY)),
            (Deny, owner, _TO_OTHERS),
            (Allow, principals.ACTIVE, (May.UNFOLLOW, May.UNBLOCK)),
        ]
        if self.row.state != UserState.DELETED:
            acl.append((Allow, principals.ADMIN, May.SET_ROLE))
            acl.append((Allow, principals.ACTIVE, (May.FOLLOW, May.BLOCK, May.REPORT)))
            if self.row.role in _RESTRICTED_BY:
                acl.append((Allow, _RESTRICTED_BY[Role(self.row.role)], _RESTRICT))
        if self.row.email_public:
            acl.append((Allow, principals.EVERYONE, May.VIEW_EMAIL))
        return acl

    def denial_reason(self, permission: str) -> str | None:
        """Return the reason for the caller's own account and for a deleted user."""
        if permission not in (*_TO_OTHERS, May.SET_ROLE):
            return None
        caller = self.root.caller
        is_own = caller is not None and caller.user_id == self.row.user_id
        if is_own and permission in _TO_OTHERS:
            return Message("You cannot do this to yourself.").coded(ErrorCode.YOUR_OWN)
        if self.row.state == UserState.DELETED and permission not in (May.UNFOLLOW, May.UNBLOCK):
            return Message("This user is deleted.").coded(ErrorCode.USER_DELETED)
        return None


class AnonymousMe(UserItem):
    """`/users/me` for a caller that is no user: the paths exist, and everything is denied."""

    def __init__(self, parent: Resource, name: str) -> None:
        """There is no row."""
        Resource.__init__(self, parent, name)

    def __acl__(self) -> Acl:
        """Deny everything, also what the parents allow."""
        return [(Deny, principals.EVERYONE, ALL_PERMISSIONS)]

    def denial_reason(self, permission: str) -> str | None:
        """Return the reason: the token has no user."""
        return NO_USER


class Users(Container):
    """`/api/v3/users`."""

    item = UserItem
    find = staticmethod(users.by_id)

    def __acl__(self) -> Acl:
        """Everybody may register; a setting says whether registration is open."""
        return [(Allow, principals.EVERYONE, May.REGISTER)]

    def __getitem__(self, name: str) -> Resource:
        """Return the user with that id or login, or the caller for `me`. Raises KeyError."""
        if name == "me":
            return self._me()
        if name.isascii() and name.isdigit():
            return super().__getitem__(name)
        return self.wrap(name, self._by_login(name))

    def _by_login(self, name: str) -> UserRow | None:
        return users.by_login(self.root.executor, name) if is_login(name) else None

    def _me(self) -> Resource:
        caller = self.root.caller
        if caller is None or caller.user_id is None:
            return AnonymousMe(self, "me")
        return self.wrap("me", self.load_committed(caller.user_id))
