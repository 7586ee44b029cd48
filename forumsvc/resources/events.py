"""Events: what happened."""

from pyramid.authorization import Allow

from ..permissions import EventPermission
from ..security import principals
from .base import Acl, Resource


class Events(Resource):
    """`/api/v3/events`."""

    def __acl__(self) -> Acl:
        """Admins may read them."""
        return [(Allow, principals.ADMIN, EventPermission.VIEW)]
