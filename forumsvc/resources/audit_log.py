"""Moderation: the log."""

from pyramid.authorization import Allow

from ..models import Visibility
from ..permissions import LogPermission
from ..security import principals
from ..security.identity import Identity
from ..security.policy import decide
from .base import Acl, Resource


class AuditLog(Resource):
    """`/api/v3/moderation/log`."""

    @property
    def is_public(self) -> bool:
        """Whether everybody may read what moderators do to posts."""
        return bool(self.root.settings["moderation.public_log"])

    def visible_to(self, caller: Identity | None) -> set[Visibility]:
        """Return which records a caller may see; none with a token that lacks the scope."""
        if decide(caller, self, LogPermission.VIEW_ADMIN):
            return {Visibility.PUBLIC, Visibility.STAFF, Visibility.ADMIN}
        if decide(caller, self, LogPermission.VIEW_STAFF):
            return {Visibility.PUBLIC, Visibility.STAFF}
        return {Visibility.PUBLIC} if self.is_public else set()

    def __acl__(self) -> Acl:
        """Moderators read what is for staff, admins everything."""
        acl: Acl = [
            (Allow, principals.MODERATOR, (LogPermission.VIEW, LogPermission.VIEW_STAFF)),
            (Allow, principals.ADMIN, LogPermission.VIEW_ADMIN),
        ]
        if self.is_public:
            acl.append((Allow, principals.EVERYONE, LogPermission.VIEW))
        return acl


class Moderation(Resource):
    """`/api/v3/moderation`."""

    def __getitem__(self, name: str) -> Resource:
        if name == "log":
            return AuditLog(self, name)
        raise KeyError(name)
