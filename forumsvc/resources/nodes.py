"""Nodes."""

from pyramid.authorization import Allow

from ..db.execution import ReadConnection
from ..permissions import NodePermission as May
from ..queries import nodes
from ..queries.rows import NodeRow
from ..security import principals
from .base import Acl, Container, Item


class NodeItem(Item):
    row: NodeRow


class Nodes(Container):
    """`/api/v3/nodes`."""

    item = NodeItem

    def __acl__(self) -> Acl:
        """Maintainers and admins may manage nodes."""
        return [(Allow, principals.MODERATOR, (May.CREATE, May.UPDATE, May.DESTROY))]

    def load(self, db: ReadConnection, item_id: int) -> NodeRow | None:
        """Return the node's row."""
        return nodes.by_id(db, item_id)
