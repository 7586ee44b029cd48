"""Nodes."""

from ..db.execution import ReadConnection
from ..queries import nodes
from ..queries.rows import NodeRow
from .base import Container, Item


class NodeItem(Item):
    row: NodeRow


class Nodes(Container):
    """`/api/v3/nodes`."""

    item = NodeItem

    def load(self, db: ReadConnection, item_id: int) -> NodeRow | None:
        """Return the node's row."""
        return nodes.by_id(db, item_id)
