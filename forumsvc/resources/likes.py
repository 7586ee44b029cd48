"""Likes. What is liked is named by parameters, so its own ACL is asked by the view."""

from pyramid.authorization import Allow

from ..permissions import LikePermission
from ..security import principals
from .base import Acl, Resource


class Likes(Resource):
    """`/api/v3/likes`."""

    def __acl__(self) -> Acl:
        """Let everybody in good standing like something."""
        return [(Allow, principals.ACTIVE, LikePermission.LIKE)]
