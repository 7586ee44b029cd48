"""Nodes, and the sections that group them."""

from typing import Any

from pyramid.authorization import Allow

from ..permissions import NodePermission
from ..queries import nodes
from ..queries.rows import NodeRow, SectionRow
from ..security import principals
from .base import Acl, Container, Item


class NodeItem(Item):
    row: NodeRow

    def __acl__(self) -> Acl:
        """Active users may mute it."""
        return [(Allow, principals.ACTIVE, NodePermission.MUTE)]

    def edit_version(self) -> tuple[Any, ...]:
        """Return all that an admin can change."""
        row = self.row
        return (row.name, row.summary, row.section_id, row.sort, row.hidden_in_lists)


class Nodes(Container):
    """`/api/v3/nodes`."""

    item = NodeItem
    find = staticmethod(nodes.by_id)

    def __acl__(self) -> Acl:
        """Admins may create, change and delete."""
        return [(Allow, principals.ADMIN, NodePermission.MANAGE)]


class SectionItem(Item):
    row: SectionRow

    def edit_version(self) -> tuple[Any, ...]:
        """Return all that an admin can change."""
        return (self.row.name, self.row.sort)


class Sections(Container):
    """`/api/v3/sections`."""

    item = SectionItem
    find = staticmethod(nodes.section_by_id)

    def __acl__(self) -> Acl:
        """Admins may create, change and delete."""
        return [(Allow, principals.ADMIN, NodePermission.MANAGE)]
