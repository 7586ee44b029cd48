"""Likes. Parameters name the liked resource, so the view evaluates its ACL."""

from pyramid.authorization import Allow

from ..permissions import LikePermission
from ..security import principals
from .base import Acl, Resource


class Likes(Resource):
    """`/api/v3/likes`."""

    def __acl__(self) -> Acl:
        """Active users may like."""
        return [(Allow, principals.ACTIVE, LikePermission.LIKE)]
