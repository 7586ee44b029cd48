"""Nodes."""

from ..queries import nodes
from ..queries.rows import NodeRow
from .base import Container, Item


class NodeItem(Item):
    row: NodeRow


class Nodes(Container):
    """`/api/v3/nodes`."""

    item = NodeItem
    find = staticmethod(nodes.by_id)
