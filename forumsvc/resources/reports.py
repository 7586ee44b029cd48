"""Reports of members."""

from pyramid.authorization import Allow

from ..permissions import ReportPermission
from ..security import principals
from .base import Acl, Resource


class Reports(Resource):
    """`/api/v3/reports`."""

    def __acl__(self) -> Acl:
        """Active users may report what the reported object lets them; users see their own."""
        return [
            (Allow, principals.ACTIVE, ReportPermission.CREATE),
            (Allow, principals.USER, ReportPermission.VIEW_OWN),
        ]
