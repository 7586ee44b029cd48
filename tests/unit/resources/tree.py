"""The resource tree on made-up rows, without a database or a request."""

from collections.abc import Iterator
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

from forumsvc.models import HeldState
from forumsvc.permissions import Scope
from forumsvc.resources.access_blocks import AccessBlockItem, AccessBlocks
from forumsvc.resources.audit_log import AuditLog, Moderation
from forumsvc.resources.base import Item, Resource
from forumsvc.resources.events import Events
from forumsvc.resources.held_posts import HeldPostItem, HeldPosts
from forumsvc.resources.likes import Likes
from forumsvc.resources.nodes import NodeItem, Nodes
from forumsvc.resources.notifications import NotificationItem, Notifications
from forumsvc.resources.photos import PhotoItem, Photos
from forumsvc.resources.public import Public
from forumsvc.resources.replies import Replies, ReplyItem
from forumsvc.resources.reports import Reports
from forumsvc.resources.reviews import ReviewItem, Reviews
from forumsvc.resources.root import Root
from forumsvc.resources.search import Search
from forumsvc.resources.topics import TopicItem, Topics
from forumsvc.resources.users import AnonymousMe, UserItem, Users
from forumsvc.resources.webhooks import DeliveryItem, WebhookItem, Webhooks
from forumsvc.security.identity import Identity

AUTHOR = 1
OTHER = 2
MAINTAINER = 3
THEN = datetime(2026, 1, 1, tzinfo=UTC)

ALL_SCOPES = frozenset(Scope)
TOPIC_STATES: dict[str, dict[str, Any]] = {
    "open": {},
    "answered": {"others_replies_count": 1},
    "closed by the author": {"closed_at": THEN, "closed_by_id": AUTHOR},
    "closed by another": {"closed_at": THEN, "closed_by_id": MAINTAINER},
    "banned": {"banned_at": THEN},
    "deleted": {"deleted_at": THEN},
    "banned and deleted": {"banned_at": THEN, "deleted_at": THEN},
}
REPLY_STATES: dict[str, dict[str, Any]] = {
    "left": {},
    "deleted": {"deleted_at": THEN},
    "under a closed topic": {"topic_closed_at": THEN},
    "under a banned topic": {"topic_banned_at": THEN},
    "under a deleted topic": {"topic_deleted_at": THEN},
}


class NoDatabaseRequest:
    """A request without a database: ACLs need none."""

    @property
    def executor(self) -> Any:
        raise AssertionError("an ACL used the database")

    @property
    def db(self) -> Any:
        raise AssertionError("an ACL used the database")

    @property
    def settings(self) -> Any:
        return {"search.open_to": "everyone", "moderation.public_log": False}

    @property
    def page_cache(self) -> Any:
        raise AssertionError("an ACL used the page cache")


def identity(level: str | None, user_id: int | None = OTHER, scopes: Any = ALL_SCOPES) -> Identity:
    """Return a caller of that level; without one, a token without a user."""
    if level is None:
        return Identity(None, None, None, frozenset(scopes), 1)
    return Identity(user_id, f"user{user_id}", level, frozenset(scopes), 1)


def root(caller: Identity | None = None) -> Root:
    """Return the tree of a caller."""
    return Root(NoDatabaseRequest(), caller, is_write=False)


def item(kind: type[Item], container: Resource, **columns: Any) -> Item:
    """Return an item with these columns."""
    return kind(container, "7", SimpleNamespace(**columns))


def topic(caller: Identity | None = None, **columns: Any) -> TopicItem:
    """Return a topic of AUTHOR."""
    states = dict.fromkeys(("closed_at", "closed_by_id", "banned_at", "deleted_at"))
    row = {"user_id": AUTHOR, "others_replies_count": 0, **states, **columns}
    return item(TopicItem, Topics(root(caller), "topics"), **row)  # type: ignore[return-value]


def reply(caller: Identity | None = None, **columns: Any) -> ReplyItem:
    """Return a reply of AUTHOR to a topic of OTHER."""
    names = ("deleted_at", "topic_closed_at", "topic_banned_at", "topic_deleted_at")
    row = {"user_id": AUTHOR, "topic_user_id": OTHER, **dict.fromkeys(names), **columns}
    return item(ReplyItem, Replies(root(caller), "replies"), **row)  # type: ignore[return-value]


def user(caller: Identity | None = None, **columns: Any) -> UserItem:
    """Return the user AUTHOR."""
    row = {"user_id": AUTHOR, "state": "active", "role": "member", "email_public": False, **columns}
    return item(UserItem, Users(root(caller), "users"), **row)  # type: ignore[return-value]


def every_context() -> Iterator[Any]:
    """Yield a resource of each class, in each state."""
    top = root()
    notifications = Notifications(top, "notifications", owner_id=AUTHOR)
    nodes = Nodes(top, "nodes")
    yield from (top, Public(None), Users(top, "users"), AnonymousMe(Users(top, "users"), "me"))
    yield from (nodes, item(NodeItem, nodes), Topics(top, "topics"), Replies(top, "replies"))
    uploads = Photos(top, "photos")
    yield from (uploads, item(PhotoItem, uploads, user_id=AUTHOR))
    yield from (Likes(top, "likes"), notifications)
    yield item(NotificationItem, notifications)
    webhooks = Webhooks(top, "webhooks")
    webhook = item(WebhookItem, webhooks, id=7)
    deliveries = webhook["deliveries"]
    yield from (
        webhooks,
        webhook,
        deliveries,
        item(DeliveryItem, deliveries),
        Events(top, "events"),
        AccessBlocks(top, "access_blocks"),
        item(AccessBlockItem, AccessBlocks(top, "access_blocks")),
        Search(top, "search"),
        Moderation(top, "moderation"),
        AuditLog(top, "log"),
        Reports(top, "reports"),
        HeldPosts(top, "held"),
        *(
            item(HeldPostItem, HeldPosts(top, "held"), user_id=AUTHOR, state=state)
            for state in HeldState
        ),
        Reviews(top, "reviews"),
        item(ReviewItem, Reviews(top, "reviews"), author_id=AUTHOR, reporter_ids=None),
    )
    yield from items()


def items(caller: Identity | None = None) -> Iterator[Any]:
    """Yield a user, topic and reply of AUTHOR in each state."""
    for state in ("active", "blocked", "deleted"):
        yield user(caller, state=state)
        yield user(caller, state=state, email_public=True)
    for columns in TOPIC_STATES.values():
        yield topic(caller, **columns)
    for columns in REPLY_STATES.values():
        yield reply(caller, **columns)
