"""Photos."""

from typing import Any

from pyramid.authorization import Allow
from sqlalchemy import Row

from ..db.execution import ReadConnection
from ..permissions import PhotoPermission
from ..queries import photos
from ..security import principals
from .base import Acl, Container, Item


class PhotoItem(Item):
    """One user's upload of a picture."""

    def __acl__(self) -> Acl:
        """Let the owner and moderators delete it."""
        owner = principals.active(self.row.user_id)
        return [(Allow, who, PhotoPermission.DESTROY) for who in (owner, principals.MODERATOR)]


class Photos(Container):
    """`/api/v3/photos`."""

    item = PhotoItem

    def __acl__(self) -> Acl:
        """Let everybody in good standing upload, and every user list what is theirs."""
        return [
            (Allow, principals.ACTIVE, PhotoPermission.CREATE),
            (Allow, principals.USER, PhotoPermission.VIEW_OWN),
        ]

    def load(self, db: ReadConnection, item_id: int) -> Row[Any] | None:
        """Return the photo's row."""
        return photos.one(db, item_id)
