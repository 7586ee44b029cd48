"""The context of the HTML pages."""

from pyramid.authorization import Allow

from ..permissions import AccountPermission as May
from ..permissions import Common
from ..security import principals
from ..text.messages import Message
from .base import Acl


class PageResource:
    """The context of all pages: each visitor sees only their own account."""

    def __acl__(self) -> Acl:
        """Everybody may view, users manage their account, active users register applications."""
        return [
            (Allow, principals.EVERYONE, Common.VIEW),
            (Allow, principals.USER, May.MANAGE),
            (Allow, principals.ACTIVE, May.REGISTER_CLIENTS),
        ]

    def denial_reason(self, permission: str) -> str | None:
        """Return the reason for a blocked account."""
        if permission == May.REGISTER_CLIENTS:
            return Message("Your account is blocked: it cannot register applications.")
        return None
