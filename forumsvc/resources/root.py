"""The root of the tree and its children."""

from typing import Any

from pyramid.authorization import Allow

from ..cache.page_cache import PageCache
from ..cache.versions import TopicVersion
from ..db.executor import Executor
from ..errors import Forbidden, Unauthenticated
from ..permissions import Common, RootPermission
from ..queries.rows import AccessRow
from ..security.identity import Identity
from ..security.principals import EVERYONE, USER
from ..settings import Settings
from ..text.error_codes import ErrorCode
from ..text.messages import Message
from .access_blocks import AccessBlocks
from .audit_log import Moderation
from .base import Acl, Resource
from .devices import Devices
from .drafts import Drafts
from .events import Events
from .held_posts import HeldPosts
from .likes import Likes
from .nodes import Nodes, Sections
from .notifications import Notifications
from .photos import Photos
from .replies import Replies
from .reports import Reports
from .reviews import Reviews
from .search import OFF, Search
from .site import Site
from .topics import Topics
from .users import Users
from .webhooks import Webhooks

_NO_NOTIFICATIONS = Message(
    "This access token belongs to no user, so it has no notifications."
).coded(ErrorCode.NO_USER)
_CHILDREN: dict[str, type[Resource]] = {
    "site": Site,
    "users": Users,
    "nodes": Nodes,
    "sections": Sections,
    "topics": Topics,
    "replies": Replies,
    "photos": Photos,
    "likes": Likes,
    "devices": Devices,
    "drafts": Drafts,
    "webhooks": Webhooks,
    "events": Events,
    "search": Search,
    "moderation": Moderation,
    "reports": Reports,
    "reviews": Reviews,
    "held": HeldPosts,
    "access_blocks": AccessBlocks,
}


class Root(Resource):
    """`/api/v3`.

    caller: the identity behind the token, or None; is_write: whether the request may change items.
    """

    def __init__(self, request: Any, caller: Identity | None, *, is_write: bool) -> None:
        """request: with `executor`, `db`, `page_cache`, `access` and `settings`."""
        self.__parent__ = None
        self.__name__ = ""
        self.root = self
        self._request = request
        self.caller = caller
        self.is_write = is_write

    @property
    def executor(self) -> Executor:
        """The executor that loads items: it reads committed data and waits for no lock."""
        return self._request.executor

    @property
    def db(self) -> Any:
        """The request's transaction, in which items are locked and reloaded."""
        return self._request.db

    @property
    def page_cache(self) -> PageCache:
        """The cache of items that have not changed since they were read."""
        return self._request.page_cache

    def version_of_topic(self, topic_id: int) -> TopicVersion | None:
        """Return the version of a topic that came with the access token, None if it did not."""
        row: AccessRow | None = self._request.access
        if row is None or row.topic_id != topic_id:
            return None
        versions = (row.topic_version, row.topic_hits, row.names_version, row.access_version)
        return TopicVersion(topic_id, *versions)

    @property
    def settings(self) -> Settings:
        return self._request.settings

    def __acl__(self) -> Acl:
        """Everybody may read, and users may call hello."""
        return [(Allow, EVERYONE, Common.VIEW), (Allow, USER, RootPermission.HELLO)]

    def __getitem__(self, name: str) -> Resource:
        """Return a child. The notifications are those of the caller, who must be a user."""
        if name == "notifications":
            return Notifications(self, name, owner_id=self._user_id())
        if name == "search" and self.settings["search.open_to"] == OFF:
            raise KeyError(name)
        return _CHILDREN[name](self, name)

    @property
    def topics(self) -> Topics:
        return Topics(self, "topics")

    @property
    def replies(self) -> Replies:
        return Replies(self, "replies")

    @property
    def held_posts(self) -> HeldPosts:
        return HeldPosts(self, "held")

    def _user_id(self) -> int:
        if self.caller is None:
            raise Unauthenticated("Notifications need an access token.")
        if self.caller.user_id is None:
            raise Forbidden(_NO_NOTIFICATIONS)
        return self.caller.user_id
