"""The site itself: its facts, its name, its texts and its logo."""

from pyramid.authorization import Allow

from ..permissions import SitePermission
from ..security import principals
from .base import Acl, Resource


class Site(Resource):
    """`/api/v3/site`."""

    def __acl__(self) -> Acl:
        """Admins may change it."""
        return [(Allow, principals.ADMIN, SitePermission.MANAGE)]
