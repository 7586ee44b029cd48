"""Access blocks."""

from pyramid.authorization import Allow

from ..permissions import AccessBlockPermission
from ..queries import access_blocks
from ..queries.access_blocks import AccessBlockRow
from ..security import principals
from .base import Acl, Container, Item


class AccessBlockItem(Item):
    """A block of a network, an email address or a domain."""

    row: AccessBlockRow


class AccessBlocks(Container):
    """`/api/v3/access_blocks`."""

    item = AccessBlockItem
    find = staticmethod(access_blocks.by_id)

    def __acl__(self) -> Acl:
        """Admins may do everything."""
        return [(Allow, principals.ADMIN, tuple(AccessBlockPermission))]
