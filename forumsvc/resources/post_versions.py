"""The former texts of a topic or reply."""

from typing import Any, cast

from pyramid.authorization import Allow

from ..db.execution import ReadConnection
from ..models import Reply, Topic
from ..permissions import VersionPermission
from ..queries import post_versions
from ..queries.post_versions import Post, PostVersionRow
from ..security import principals
from ..security.policy import decide
from .base import Acl, Container, Item, Resource


class PostVersionItem(Item):
    """A former text."""

    row: PostVersionRow

    @property
    def versions(self) -> "PostVersions":
        """All of the same post."""
        return cast("PostVersions", self.__parent__)


class PostVersions(Container):
    """The former texts by their numbers. The topic or reply has their ACL."""

    def __init__(self, parent: Resource, name: str, post: Post) -> None:
        """post: whose these are; parent: its resource."""
        super().__init__(parent, name)
        self._parent: Any = parent
        self.post = post

    @property
    def post_row(self) -> Any:
        """The topic or reply as its resource has loaded it."""
        return self._parent.row

    @property
    def topic_id(self) -> int:
        """The id of the topic, also of a reply."""
        row = self.post_row
        return int(row.id if self.post.model is Topic else row.topic_id)

    @property
    def with_hidden(self) -> bool:
        """Whether the caller sees those, too, that a moderator has hidden."""
        return bool(decide(self.root.caller, self, VersionPermission.HIDE))

    def load(self, db: ReadConnection, item_id: int) -> PostVersionRow | None:
        """Return the former text with a number."""
        return post_versions.by_number(db, self.post, item_id)

    def wrap(self, name: str, row: Any) -> Item:
        """Return the row as an item. Raises KeyError without one that the caller may see."""
        is_hidden = row is not None and row.hidden_at is not None
        return super().wrap(name, None if is_hidden and not self.with_hidden else row)


class TopicVersionItem(PostVersionItem):
    """A former text of a topic."""


class TopicVersions(PostVersions):
    """`/api/v3/topics/:id/versions`."""

    item = TopicVersionItem

    def __init__(self, parent: Item, name: str) -> None:
        super().__init__(parent, name, Post(Topic, parent.row_id))


class ReplyVersionItem(PostVersionItem):
    """A former text of a reply."""


class ReplyVersions(PostVersions):
    """`/api/v3/replies/:id/versions`."""

    item = ReplyVersionItem

    def __init__(self, parent: Item, name: str) -> None:
        super().__init__(parent, name, Post(Reply, parent.row_id))


def version_readers(post: Item, author_id: int) -> Acl:
    """Return who but moderators may read the former texts of a post that is visible."""
    is_open = post.root.settings["posts.versions_open"]
    readers = principals.EVERYONE if is_open else principals.user(author_id)
    return [(Allow, readers, VersionPermission.VIEW)]
