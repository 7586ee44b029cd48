"""The caller's own drafts, by their keys."""

from typing import Any, Self

from pyramid.authorization import Allow

from ..db.execution import ReadConnection
from ..models import User
from ..permissions import DraftPermission as May
from ..queries import drafts
from ..queries.rows import DraftRow
from ..queries.user_locks import lock_users
from ..security import principals
from ..text.ids import is_draft_key
from .base import Acl, Container, Item, Resource


class DraftItem(Item):
    """What a user has under a key. row: None where there is nothing yet."""

    @property
    def row_id(self) -> int:
        return 0 if self.row is None else int(self.row.id)

    def edit_version(self) -> tuple[Any, ...]:
        """Return what is kept; no draft is a version of its own, which no ETag names."""
        row = self.row
        return () if row is None else (row.title, row.body, row.node_id, row.updated_at)

    def reloaded(self) -> Self:
        """Return the draft as the request's transaction sees it."""
        name = self.__name__
        return type(self)(self._container, name, _find(self, self.root.db, name))

    def for_update(self, *, whole_row: bool) -> Self:
        """Return the draft as it is once nobody else writes drafts of this user."""
        lock_users(self.root.db, User.id == caller_id(self))
        return self.reloaded()


class Drafts(Container):
    """`/api/v3/drafts`."""

    item = DraftItem

    def __acl__(self) -> Acl:
        """Who may only read keeps what they wrote before, and may delete it."""
        return [
            (Allow, principals.USER, (May.VIEW, May.DESTROY)),
            (Allow, principals.ACTIVE, May.SAVE),
        ]

    def __getitem__(self, name: str) -> Resource:
        """Return what is under a key, whether that is a draft or nothing yet."""
        return DraftItem(self, name, _find(self, self.root.executor, name))


def _find(resource: Resource, db: ReadConnection, key: str) -> DraftRow | None:
    """Return a draft of the caller; None where there is none, as under what can be no key."""
    user_id = caller_id(resource)
    return drafts.by_key(db, user_id, key) if user_id and is_draft_key(key) else None


def caller_id(resource: Resource) -> int:
    """Return the id of the user whose drafts these are; 0 for a caller who is no user."""
    caller = resource.root.caller
    return 0 if caller is None or caller.user_id is None else caller.user_id
