"""Photos."""

from pyramid.authorization import Allow

from ..permissions import PhotoPermission
from ..queries import photos
from ..queries.rows import PhotoRow
from ..security import principals
from .base import Acl, Container, Item


class PhotoItem(Item):
    """A photo that a user uploaded."""

    row: PhotoRow

    def __acl__(self) -> Acl:
        """The owner and moderators may delete it."""
        owner = principals.active(self.row.user_id)
        return [(Allow, who, PhotoPermission.DESTROY) for who in (owner, principals.MODERATOR)]


class Photos(Container):
    """`/api/v3/photos`."""

    item = PhotoItem
    find = staticmethod(photos.by_id)

    def __acl__(self) -> Acl:
        """Active users may upload, and every user may list their own."""
        return [
            (Allow, principals.ACTIVE, PhotoPermission.CREATE),
            (Allow, principals.USER, PhotoPermission.VIEW_OWN),
        ]
