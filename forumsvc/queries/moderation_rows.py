"""The shapes of the rows of moderation, as `queries.rows` has those of the forum."""

from datetime import datetime
from typing import Protocol

from .rows import UserSummaryRow


class ByRow(Protocol):
    """Who did it."""

    by_id: int | None
    by_login: str | None
    by_name: str | None
    by_avatar: str | None


class RestrictionRow(ByRow, Protocol):
    """A silence or a warning, for `presenters.moderation.restriction`.

    note and the columns of the moderator (`by_…`) are None for the user.
    """

    id: int
    kind: str
    reason: str
    note: str | None
    topic_id: int | None
    reply_id: int | None
    started_at: datetime
    until: datetime | None
    lifted_at: datetime | None


class ReportRow(Protocol):
    """A report, for `presenters.moderation.report`."""

    id: int
    object_key: str
    category: str
    comment: str
    state: str
    created_at: datetime
    resolved_at: datetime | None


class ReviewListRow(Protocol):
    """A review in the queue, for `presenters.moderation.review`.

    title: of the topic, or of a held post.
    """

    id: int
    kind: str
    object_key: str
    topic_id: int | None
    reply_id: int | None
    held_post_id: int | None
    reports_count: int
    weight: int
    is_hidden: bool
    state: str
    decision: str | None
    reason: str | None
    version: int
    opened_at: datetime
    resolved_at: datetime | None
    title: str | None
    author_id: int
    author_login: str
    author_name: str
    author_avatar: str
    resolver_id: int | None
    resolver_login: str | None
    resolver_name: str | None
    resolver_avatar: str | None


class ReviewRow(ReviewListRow, Protocol):
    """A review, for its ACL. reporter_ids: separated by commas."""

    reporter_ids: str | None


class HeldPostRow(UserSummaryRow, Protocol):
    """A held post, for its ACL and `presenters.moderation.held_post`."""

    id: int
    kind: str
    node_id: int | None
    topic_id: int | None
    reply_id: int | None
    title: str | None
    body: str
    reason: str
    state: str
    created_at: datetime


class LogRow(Protocol):
    """A record of the log, for `presenters.moderation.log_record`. details: JSON text."""

    id: int
    action: str
    actor_id: int | None
    actor_login: str | None
    actor_name: str | None
    actor_avatar: str | None
    user_id: int | None
    user_login: str | None
    user_name: str | None
    user_avatar: str | None
    via: str | None
    topic_id: int | None
    reply_id: int | None
    node_id: int | None
    reason: str | None
    details: str | None
    request_id: str | None
    created_at: datetime


class AccessBlockRow(ByRow, Protocol):
    """A block, for `presenters.moderation.access_block`. by_…: None for the command line."""

    id: int
    kind: str
    value: str
    severity: str
    reason: str
    created_at: datetime
    expires_at: datetime | None
