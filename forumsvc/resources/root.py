"""The root of the tree. It refuses a bad token before anything is looked up."""

from typing import Protocol

from pyramid.authorization import Allow

from ..errors import Denied, Unauthenticated
from ..memory import Memory
from ..permissions import Common, RootPermission
from ..queries.reading import Reader
from ..security.identity import Identity
from ..security.principals import EVERYONE, USER
from .base import Acl, Resource
from .likes import Likes
from .nodes import Nodes
from .notifications import Notifications
from .photos import Photos
from .replies import Replies
from .topics import Topics
from .users import Users

_CHILDREN: dict[str, type[Resource]] = {
    "users": Users,
    "nodes": Nodes,
    "topics": Topics,
    "replies": Replies,
    "photos": Photos,
    "likes": Likes,
}


class Opener(Protocol):
    """What the tree asks of a request."""

    @property
    def db(self) -> Reader:
        """What items are read with."""

    @property
    def memory(self) -> Memory:
        """Where items are kept that have not changed since they were read."""


class Root(Resource):
    """`/api/v3`.

    caller: who is asking, or None; locks: whether items are loaded to be changed.
    """

    def __init__(self, opener: Opener, caller: Identity | None, *, locks: bool) -> None:
        """Make the tree of one request, whose database is opened with the first item."""
        self.__parent__ = None
        self.__name__ = ""
        self.root = self
        self._opener = opener
        self.caller = caller
        self.locks = locks

    @property
    def db(self) -> Reader:
        """What items are read with."""
        return self._opener.db

    @property
    def memory(self) -> Memory:
        """Where items are kept that have not changed since they were read."""
        return self._opener.memory

    def __acl__(self) -> Acl:
        """Let everybody read, and everybody with a name say hello."""
        return [(Allow, EVERYONE, Common.VIEW), (Allow, USER, RootPermission.HELLO)]

    def __getitem__(self, name: str) -> Resource:
        """Return a part of the forum. The notifications are there for their owner only."""
        if name == "notifications":
            return Notifications(self, name, owner_id=self._user_id())
        return _CHILDREN[name](self, name)

    @property
    def topics(self) -> Topics:
        """The topics."""
        return Topics(self, "topics")

    @property
    def replies(self) -> Replies:
        """The replies."""
        return Replies(self, "replies")

    def _user_id(self) -> int:
        if self.caller is None:
            raise Unauthenticated("Notifications need an access token.")
        if self.caller.user_id is None:
            raise Denied("This access token belongs to no user, so it has no notifications.")
        return self.caller.user_id
