"""Photos."""

from pyramid.authorization import Allow

from ..permissions import PhotoPermission
from ..security import principals
from .base import Acl, Resource


class Photos(Resource):
    """`/api/v3/photos`."""

    def __acl__(self) -> Acl:
        """Let everybody in good standing upload."""
        return [(Allow, principals.ACTIVE, PhotoPermission.CREATE)]
