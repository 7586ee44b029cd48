"""The devices that applications register for push messages."""

from pyramid.authorization import Allow

from ..permissions import DevicePermission
from ..security import principals
from .base import Acl, Resource


class Devices(Resource):
    """`/api/v3/devices`."""

    def __acl__(self) -> Acl:
        """Active users may register theirs; who only reads logs out of a phone all the same."""
        return [
            (Allow, principals.ACTIVE, DevicePermission.REGISTER),
            (Allow, principals.USER, DevicePermission.UNREGISTER),
        ]
