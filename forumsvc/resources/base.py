"""What all resources are: a place in the tree with rules of its own."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, Self, cast

from sqlalchemy import Row
from sqlalchemy.orm import Session

from ..db.execution import ReadConnection
from ..ids import parse_id
from ..permissions import Common
from ..security.policy import granted

if TYPE_CHECKING:
    from .root import Root

Acl = list[tuple[str, str, Any]]
Load = Callable[[Any, int], Row[Any] | None]


class Resource:
    """A node of the tree, with the lineage that the policy walks."""

    __name__: str
    __parent__: "Resource | None"
    root: "Root"

    def __init__(self, parent: "Resource", name: str) -> None:
        """Hang the resource under `parent` by `name`."""
        self.__parent__ = parent
        self.__name__ = name
        self.root = parent.root

    def __acl__(self) -> Acl:
        """Return who may do what here, beyond what the parents say."""
        return []

    def __getitem__(self, name: str) -> "Resource":
        """Return the child of that name. Raises KeyError where there is none."""
        raise KeyError(name)

    def denial_reason(self, permission: str) -> str | None:
        """Return why the permission is refused, where there is more to say than that it is."""
        return None


class Item(Resource):
    """A row of the database in the tree; its ACL looks at the loaded columns only."""

    def __init__(self, parent: Resource, name: str, row: Any) -> None:
        """Hang the row, or what has the columns that its ACL looks at, under its container."""
        super().__init__(parent, name)
        self.row = row

    def reloaded(self) -> Self:
        """Return the item as it is in the request's transaction, after it was changed."""
        return self._load_with(self._container.load)

    def for_update(self, *, whole_row: bool) -> Self:
        """Return the item as it is now, under a lock that holds to the end of the transaction.

        whole_row: with its whole row, not just what the ACL looks at. Raises KeyError where the
        caller does not see it any more.
        """
        return self._load_with(partial(self._container.load_for_update, whole_row=whole_row))

    def _load_with(self, load: "Load") -> Self:
        found = self._container.wrap(self.__name__, load(self.root.db, self.row_id))
        return cast("Self", found)

    @property
    def _container(self) -> "Container":
        container = self.__parent__
        assert isinstance(container, Container), "an item hangs there"  # noqa: S101
        return container

    @property
    def row_id(self) -> int:
        """The id of the row."""
        return int(self.row.id)

    @property
    def is_hidden(self) -> bool:
        """Whether not everybody sees it, so that the ACL must be asked before it is found."""
        return False


class Container(Resource):
    """Items by their ids."""

    item: type[Item]

    def load(self, db: ReadConnection, item_id: int) -> Row[Any] | None:
        """Return the row of an item by one SELECT, or None."""
        raise NotImplementedError

    def load_for_acl(self, db: ReadConnection, item_id: int) -> Row[Any] | None:
        """Return at least what the ACL looks at; a view that needs more has its item locked."""
        return self.load(db, item_id)

    def load_for_update(self, db: Session, item_id: int, *, whole_row: bool) -> Row[Any] | None:
        """Return the row of an item, locked until the transaction ends.

        whole_row: as `load` does, else at least what the ACL looks at.
        """
        raise NotImplementedError

    def __getitem__(self, name: str) -> Resource:
        """Return the item with the id `name` as it is committed, without waiting for a lock.

        It hangs under the one spelling of its id: `05` is `5`. Raises KeyError where the caller
        sees none.
        """
        item_id = parse_id(name)
        if item_id is None:
            raise KeyError(name)
        load = self.load_for_acl if self.root.is_write else self.load
        return self.wrap(str(item_id), load(self.root.executor, item_id))

    def get(self, item_id: int) -> Any:
        """Return the item with that id, which this request has made or only looks at."""
        return self.wrap(str(item_id), self.load(self.root.db, item_id))

    def wrap(self, name: str, row: Row[Any] | None) -> Item:
        """Return the row as an item if there is one and the caller may see it, else KeyError."""
        if row is None:
            raise KeyError(name)
        item = self.item(self, name, row)
        if item.is_hidden and not granted(self.root.caller, item, Common.VIEW):
            raise KeyError(name)
        return item
