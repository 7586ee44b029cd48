"""The base classes of resources: a node of the tree with its own ACL."""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Self, cast

from sqlalchemy.orm import Session

from ..db.execution import ReadConnection
from ..permissions import Common
from ..security.policy import granted
from ..text.ids import parse_id

if TYPE_CHECKING:
    from .root import Root

Acl = list[tuple[str, str, Any]]
Load = Callable[[Any, int], object]


class Resource:
    """A node of the tree; the policy evaluates the ACLs along its lineage."""

    __name__: str
    __parent__: "Resource | None"
    root: "Root"

    def __init__(self, parent: "Resource", name: str) -> None:
        """Make the child `name` of `parent`."""
        self.__parent__ = parent
        self.__name__ = name
        self.root = parent.root

    def __acl__(self) -> Acl:
        """Return the ACL of this resource, in addition to those of its parents."""
        return []

    def __getitem__(self, name: str) -> "Resource":
        """Return the child of that name. Raises KeyError if there is none."""
        raise KeyError(name)

    def denial_reason(self, permission: str) -> str | None:
        """Return why the permission is denied, if there is a special reason to show."""
        return None


class Item(Resource):
    """A database row in the tree. Its ACL reads the loaded columns only."""

    def __init__(self, parent: Resource, name: str, row: Any) -> None:
        """row: a row of the item, or at least the columns that its ACL reads."""
        super().__init__(parent, name)
        self.row = row

    def reloaded(self) -> Self:
        """Return the item loaded again in the request's transaction, after a change."""
        return self._load_with(self._container.load)

    def for_update(self, *, whole_row: bool) -> Self:
        """Return the item loaded again and locked until the transaction ends.

        whole_row: load all columns, not only those that the ACL reads. Raises KeyError if the
        caller may not see the item any more.
        """
        return self._load_with(partial(self._container.load_for_update, whole_row=whole_row))

    def _load_with(self, load: "Load") -> Self:
        row = self._container.wrap(self.__name__, load(self.root.db, self.row_id))
        return cast("Self", row)

    @property
    def _container(self) -> "Container":
        container = self.__parent__
        assert isinstance(container, Container), "the parent of an item is a container"  # noqa: S101
        return container

    @property
    def row_id(self) -> int:
        return int(self.row.id)

    def edit_version(self) -> tuple[Any, ...] | None:
        """Return what differs after each edit and stays equal else; None: it cannot be edited.

        `If-Match` compares it. It needs the whole row.
        """
        return None

    @property
    def is_hidden(self) -> bool:
        """Whether the item is visible to some callers only, so that the ACL decides."""
        return False


class Container(Resource):
    """Items by their ids.

    find: the query of a row by its id, with `lock=True` locked until the transaction ends.
    """

    item: type[Item]
    find: Callable[..., Any]

    def load(self, db: ReadConnection, item_id: int) -> Any:
        """Return the row of an item, or None, in one SELECT."""
        return self.find(db, item_id)

    def load_committed(self, item_id: int) -> object:
        """Return the row of an item as it is committed, from a cache if there is one."""
        return self.load(self.root.executor, item_id)

    def load_for_acl(self, db: ReadConnection, item_id: int) -> object:
        """Return at least the columns that the ACL reads. A view that needs more locks its item."""
        return self.load(db, item_id)

    def load_for_update(self, db: Session, item_id: int, *, whole_row: bool) -> object:
        """Return the row of an item, locked until the transaction ends.

        whole_row: as `load` does; else at least the columns that the ACL reads.
        """
        return self.find(db, item_id, lock=True)

    def __getitem__(self, name: str) -> Resource:
        """Return the item with the id `name` as it is committed, without waiting for a lock.

        Its name in the tree is the canonical id: `05` becomes `5`. Raises KeyError if the caller
        may not see such an item.
        """
        item_id = parse_id(name)
        if item_id is None:
            raise KeyError(name)
        root = self.root
        result = (
            self.load_for_acl(root.executor, item_id)
            if root.is_write
            else self.load_committed(item_id)
        )
        return self.wrap(str(item_id), result)

    def get(self, item_id: int) -> Any:
        """Return the item with that id, as the request's transaction sees it."""
        return self.wrap(str(item_id), self.load(self.root.db, item_id))

    def visible_rows(self, ids: Iterable[int], found: Mapping[int, Any]) -> list[Any]:
        """Return the rows that the caller may see, in the order of the ids, each once.

        found: rows by id, with the columns that the ACL reads.
        """
        known = [(item_id, found[item_id]) for item_id in dict.fromkeys(ids) if item_id in found]
        return [row for item_id, row in known if self._may_view(self.item(self, str(item_id), row))]

    def _may_view(self, item: Item) -> bool:
        return not item.is_hidden or granted(self.root.caller, item, Common.VIEW)

    def wrap(self, name: str, row: object) -> Item:
        """Return the row as an item. Raises KeyError without one that the caller may see."""
        if row is None:
            raise KeyError(name)
        item = self.item(self, name, row)
        if not self._may_view(item):
            raise KeyError(name)
        return item
