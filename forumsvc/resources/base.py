"""What all resources are: a place in the tree with rules of its own."""

from typing import TYPE_CHECKING, Any, Self

from sqlalchemy import Row

from ..ids import parse_id
from ..permissions import Common
from ..security.policy import granted

if TYPE_CHECKING:
    from .root import Root

Acl = list[tuple[str, str, Any]]


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

    def refusal(self, permission: str) -> str | None:
        """Return why the permission is refused, where there is more to say than that it is."""
        return None


class Item(Resource):
    """A row of the database in the tree; its ACL looks at the loaded columns only."""

    def __init__(self, parent: Resource, name: str, row: Any) -> None:
        """Hang the row, or what has the columns that its ACL looks at, under its container."""
        super().__init__(parent, name)
        self.row = row

    def again(self) -> Self:
        """Return the item as it is now, after it was changed."""
        assert self.__parent__ is not None, "an item hangs in its container"  # noqa: S101
        return self.__parent__[self.__name__]  # type: ignore[return-value]  # it is still there

    @property
    def is_hidden(self) -> bool:
        """Whether not everybody sees it, so that the ACL must be asked before it is found."""
        return False


class Container(Resource):
    """Items by their ids."""

    item: type[Item]

    def load(self, item_id: int) -> Row[Any] | None:
        """Return the row of an item by one SELECT, or None."""
        raise NotImplementedError

    def __getitem__(self, name: str) -> Resource:
        """Return the item with the id `name`. Raises KeyError where the caller sees none."""
        item_id = parse_id(name)
        row = None if item_id is None else self.load(item_id)
        return self.found(name, row)

    def at(self, item_id: int) -> Any:
        """Return the item with an id that is known to be there."""
        return self[str(item_id)]

    def found(self, name: str, row: Row[Any] | None) -> Item:
        """Return the row as an item if there is one and the caller may see it, else KeyError."""
        if row is None:
            raise KeyError(name)
        item = self.item(self, name, row)
        if item.is_hidden and not granted(self.root.caller, item, Common.VIEW):
            raise KeyError(name)
        return item
