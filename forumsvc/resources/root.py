"""The root of the tree. It refuses a bad token before anything is looked up."""

from typing import Any, Protocol

from pyramid.authorization import Allow

from ..cache.page_cache import Memory
from ..db.executor import Executor
from ..errors import Forbidden, Unauthenticated
from ..permissions import Common, RootPermission
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


class RequestContext(Protocol):
    """What the tree asks of a request."""

    @property
    def executor(self) -> Executor:
        """What reads what is committed, and waits for no lock."""

    @property
    def db(self) -> Any:
        """What reads in the request's transaction, where it has one."""

    @property
    def page_cache(self) -> Memory:
        """Where items are kept that have not changed since they were read."""


class Root(Resource):
    """`/api/v3`.

    caller: who is asking, or None; writes: whether the request may change what it finds.
    """

    def __init__(self, request: RequestContext, caller: Identity | None, *, is_write: bool) -> None:
        """Make the tree of one request, whose database is opened with the first item."""
        self.__parent__ = None
        self.__name__ = ""
        self.root = self
        self._request = request
        self.caller = caller
        self.is_write = is_write

    @property
    def executor(self) -> Executor:
        """What items are looked up with: it reads what is committed, and waits for no lock."""
        return self._request.executor

    @property
    def db(self) -> Any:
        """What items are locked and read again with: the request's transaction."""
        return self._request.db

    @property
    def page_cache(self) -> Memory:
        """Where items are kept that have not changed since they were read."""
        return self._request.page_cache

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
            raise Forbidden("This access token belongs to no user, so it has no notifications.")
        return self.caller.user_id
