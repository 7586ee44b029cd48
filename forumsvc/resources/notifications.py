"""The caller's own notifications; those of other users are not in the tree."""

from pyramid.authorization import Allow

from ..db.execution import ReadConnection
from ..permissions import Common, NotificationPermission
from ..queries import notifications
from ..security import principals
from .base import Acl, Container, Item, Resource


class NotificationItem(Item):
    """One notification of the caller."""


class Notifications(Container):
    """`/api/v3/notifications`."""

    item = NotificationItem

    def __init__(self, parent: Resource, name: str, owner_id: int) -> None:
        """owner_id: the user whose notifications these are."""
        super().__init__(parent, name)
        self.owner_id = owner_id

    def __acl__(self) -> Acl:
        """The owner may do everything."""
        owner = principals.user(self.owner_id)
        return [(Allow, owner, (Common.VIEW, *NotificationPermission))]

    def load(self, db: ReadConnection, item_id: int) -> object:
        """Return the notification's row if it is the owner's."""
        return notifications.by_id(db, item_id, self.owner_id)
