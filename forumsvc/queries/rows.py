"""The shapes of rows: which columns ACLs, presenters and the policy read, by the name of the row.

A query says in its annotation which shape its rows have, and selects the `columns` of that shape.
"""

from collections.abc import Collection
from datetime import datetime
from inspect import get_annotations
from typing import Any, Protocol

from ..models import Base


def columns(
    model: type[Base], *shapes: type[Any], without: Collection[str] = ()
) -> tuple[Any, ...]:
    """Return the columns of a model that shapes name, not those that the shapes inherit.

    without: the names of columns that the SELECT has from another table.
    """
    names = [name for shape in shapes for name in get_annotations(shape)]
    columns = [name for name in names if name in model.__table__.c and name not in without]
    return tuple(getattr(model, name) for name in columns)


class UserSummaryRow(Protocol):
    """A user beside something else, such as an author, for `presenters.users.user`."""

    user_id: int
    user_login: str
    user_name: str
    user_avatar: str


class ByRow(Protocol):
    """A user who did something, such as a moderator; None: the command line."""

    by_id: int | None
    by_login: str | None
    by_name: str | None
    by_avatar: str | None


class UserRow(UserSummaryRow, Protocol):
    """A user with all fields, for the ACL and `presenters.users.user_detail`.

    Each of `models.PROFILE_TEXTS` is a column, too.
    """

    role: str
    state: str
    blocked_at: datetime | None
    blocked_until: datetime | None
    blocked_reason: str | None
    email: str | None
    email_confirmed_at: datetime | None
    unconfirmed_email: str | None
    awaits_approval: bool
    email_public: bool
    locale: str | None
    closes_at: datetime | None
    topics_count: int
    replies_count: int
    following_count: int
    followers_count: int
    favorites_count: int
    created_at: datetime


class TopicStateRow(Protocol):
    """The state of a topic, for its ACL and its actions."""

    id: int
    user_id: int
    node_id: int
    excellent_at: datetime | None
    pinned_at: datetime | None
    closed_at: datetime | None
    closed_by_id: int | None
    banned_at: datetime | None
    deleted_at: datetime | None
    others_replies_count: int


class TopicListRow(UserSummaryRow, TopicStateRow, Protocol):
    """A topic in a list, for `presenters.topics.topic`."""

    title: str
    node_name: str
    replies_count: int
    likes_count: int
    hits: int
    last_reply_user_id: int | None
    last_reply_user_login: str | None
    replied_at: datetime | None
    created_at: datetime
    updated_at: datetime


class TopicRow(TopicListRow, Protocol):
    """A topic with its texts and versions, for `presenters.topics.topic_detail` and its ETag."""

    body: str
    body_html: str
    node_locked_at: datetime | None
    edited_at: datetime | None
    editor_id: int | None
    version: int
    names_version: int
    access_version: int


class ReplyStateRow(Protocol):
    """The state of a reply and of its topic, for its ACL."""

    id: int
    topic_id: int
    user_id: int
    deleted_at: datetime | None
    topic_user_id: int
    topic_closed_at: datetime | None
    topic_banned_at: datetime | None
    topic_deleted_at: datetime | None


class ReplyListRow(UserSummaryRow, Protocol):
    """A reply in the list of its topic, for `presenters.replies.reply`."""

    id: int
    topic_id: int
    body: str
    body_html: str
    deleted_at: datetime | None
    likes_count: int
    created_at: datetime
    updated_at: datetime
    edited_at: datetime | None


class ReplyDetailRow(ReplyListRow, ReplyStateRow, Protocol):
    """A reply with its topic, for `presenters.replies.reply_detail`."""

    topic_title: str
    topic_version: int


class ReplyRow(ReplyDetailRow, Protocol):
    """A reply with all that an edit and its ETag need."""

    editor_id: int | None
    names_version: int


class NodeRow(Protocol):
    """A node, for `presenters.nodes.node`."""

    id: int
    name: str
    summary: str
    section_id: int | None
    section_name: str | None
    section_sort: int | None
    topics_count: int
    sort: int
    hidden_in_lists: bool
    updated_at: datetime


class SectionRow(Protocol):
    """A section, for `presenters.nodes.section`."""

    id: int
    name: str
    sort: int


class NotificationRow(Protocol):
    """A notification, for `presenters.notifications`."""

    id: int
    actor_id: int
    type: str
    mention_type: str | None
    topic_id: int | None
    reply_id: int | None
    node_id: int | None
    details: str | None
    read_at: datetime | None
    created_at: datetime
    updated_at: datetime


class ActorNotificationRow(UserSummaryRow, NotificationRow, Protocol):
    """A notification and its actor, for `presenters.notifications`."""


class PhotoRow(Protocol):
    """A photo, for its ACL and `presenters.photos.photo`."""

    id: int
    user_id: int
    name: str
    width: int
    height: int
    size: int
    storage: str
    created_at: datetime


class EventRow(Protocol):
    """An event, for `presenters.events`. data: JSON text."""

    id: int
    xid: int
    type: str
    actor_id: int | None
    user_id: int | None
    topic_id: int | None
    reply_id: int | None
    node_id: int | None
    data: str | None
    created_at: datetime


class DraftRow(Protocol):
    """A draft, for `presenters.drafts.draft` and the forms of pages."""

    id: int
    key: str
    title: str
    body: str
    node_id: int | None
    form: str | None
    created_at: datetime
    updated_at: datetime


class WebhookRow(Protocol):
    """A webhook, for `presenters.webhooks.webhook`."""

    id: int
    url: str
    description: str
    events: list[str]
    node_ids: list[int] | None
    generation: int
    active: bool
    disabled_reason: str | None
    created_at: datetime


class DeliveryRow(Protocol):
    """A delivery of an event to a webhook, for `presenters.webhooks.delivery`."""

    id: int
    event_id: int | None
    state: str
    attempts: int
    due_at: datetime
    status: int | None
    error: str | None
    milliseconds: int | None
    created_at: datetime
    delivered_at: datetime | None


class AccessRow(Protocol):
    """An access token and its user, for `security.identity.identify`.

    user_id and login are None for a token of the client itself; the other columns of the user are
    then not to be read. is_unconfirmed: whether the user has an e-mail and never confirmed it;
    blocks: whether the user blocks anybody; mutes: whether they mute a node; client_owner_id: for a
    token of the client itself, the member who registered it, if one did; unread_count: the user's
    unread notifications; lists_version, names_version and access_version: see `cache.versions`;
    topic_id: of the topic that is asked for, None without one, and then topic_version and
    topic_hits are not to be read; the other columns are of the token.
    """

    user_id: int | None
    login: str | None
    role: str
    state: str
    blocked_until: datetime | None
    blocked_reason: str | None
    user_created_at: datetime
    is_unconfirmed: bool
    awaits_approval: bool
    scope: str
    client_id: int
    client_owner_id: int | None
    blocks: bool
    mutes: bool
    unread_count: int
    topic_id: int | None
    topic_version: int
    topic_hits: int
    lists_version: int
    names_version: int
    access_version: int
