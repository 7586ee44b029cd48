"""Whoever looks at the pages, and what they may do there."""

from pyramid.authorization import Allow

from ..permissions import AccountPermission as May
from ..permissions import Common
from ..security import principals
from .base import Acl


class PageResource:
    """The context of the pages: there is only the visitor's own."""

    def __acl__(self) -> Acl:
        """Let everybody look, people manage their accounts, and active users add applications."""
        return [
            (Allow, principals.EVERYONE, Common.VIEW),
            (Allow, principals.USER, May.MANAGE),
            (Allow, principals.ACTIVE, May.REGISTER_CLIENTS),
        ]

    def denial_reason(self, permission: str) -> str | None:
        """Return why the permission is refused."""
        if permission == May.REGISTER_CLIENTS:
            return "Your account is blocked: it cannot register applications."
        return None
