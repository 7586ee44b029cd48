"""What the forum keeps of one person, in parts: the rows of an export of their data.

Of other people there are ids and logins, no texts. Passwords, tokens and hashes are no columns
here, nor what moderators noted for each other.
"""

from collections.abc import Iterator
from typing import Any

from sqlalchemy import Select, bindparam, select

from ..db.execution import SqlConnection
from ..models import (
    PROFILE_TEXTS,
    BrowserSession,
    Favorite,
    HeldPost,
    Notification,
    OAuthClient,
    OAuthToken,
    Photo,
    Reply,
    ReplyLike,
    Report,
    Restriction,
    Review,
    Topic,
    TopicFollow,
    TopicLike,
    User,
    UserBlock,
    UserFollow,
)

BATCH_SIZE = 200
"""Rows that are in memory at once."""

_ACCOUNT: tuple[Any, ...] = (
    *(User.id, User.login, User.name, User.email, User.email_confirmed_at),
    *(User.unconfirmed_email, User.email_public, User.role, User.state, User.blocked_at),
    *(User.blocked_until, User.blocked_reason, User.awaits_approval, User.avatar),
    *(User.closes_at, User.closure_posts, User.unwanted_notifications),
    *(getattr(User, text.name) for text in PROFILE_TEXTS),
    *(User.topics_count, User.replies_count, User.following_count, User.followers_count),
    *(User.favorites_count, User.unread_count, User.created_at, User.updated_at),
)


def _of(owner: Any, *columns: Any) -> Select[Any]:
    """Return a SELECT of a person's next rows of a table, in the order of their ids.

    owner: the column with the person's id. Parameters: user_id, and last_id, where it begins.
    """
    id_ = owner.class_.id
    is_next = (owner == bindparam("user_id"), id_ > bindparam("last_id"))
    return select(id_, *columns).where(*is_next).order_by(id_).limit(BATCH_SIZE)


def _of_people(relation: Any) -> Select[Any]:
    """Return a SELECT of the people whom somebody follows or blocks."""
    columns = (relation.target_id.label("user_id"), User.login, relation.created_at)
    return _of(relation.user_id, *columns).join(User, User.id == relation.target_id)


PARTS: dict[str, Select[Any]] = {
    "topics": _of(
        Topic.user_id,
        *(Topic.node_id, Topic.title, Topic.body, Topic.likes_count, Topic.replies_count),
        *(Topic.hits, Topic.excellent_at, Topic.closed_at, Topic.banned_at),
        *(Topic.deleted_at, Topic.created_at, Topic.updated_at),
    ),
    "replies": _of(
        Reply.user_id,
        *(Reply.topic_id, Reply.body, Reply.likes_count, Reply.deleted_at),
        *(Reply.created_at, Reply.updated_at),
    ),
    "held_posts": _of(
        HeldPost.user_id,
        *(HeldPost.kind, HeldPost.node_id, HeldPost.topic_id, HeldPost.reply_id),
        *(HeldPost.title, HeldPost.body, HeldPost.reason, HeldPost.state),
        *(HeldPost.created_at, HeldPost.closed_at),
    ),
    "liked_topics": _of(TopicLike.user_id, TopicLike.topic_id, TopicLike.created_at),
    "liked_replies": _of(ReplyLike.user_id, ReplyLike.reply_id, ReplyLike.created_at),
    "favorites": _of(Favorite.user_id, Favorite.topic_id, Favorite.created_at),
    "followed_topics": _of(TopicFollow.user_id, TopicFollow.topic_id, TopicFollow.created_at),
    "followed_users": _of_people(UserFollow),
    "blocked_users": _of_people(UserBlock),
    "notifications": _of(
        Notification.user_id,
        *(Notification.type, Notification.actor_id, Notification.mention_type),
        *(Notification.topic_id, Notification.reply_id, Notification.node_id),
        *(Notification.details, Notification.read_at, Notification.created_at),
    ),
    "reports": _of(
        Report.reporter_id,
        *(Report.category, Report.comment, Report.state, Review.kind, Review.user_id),
        *(Review.topic_id, Review.reply_id, Report.created_at, Report.resolved_at),
    ).join(Review, Review.id == Report.review_id),
    "restrictions": _of(
        Restriction.user_id,
        *(Restriction.kind, Restriction.reason, Restriction.topic_id, Restriction.reply_id),
        *(Restriction.started_at, Restriction.until, Restriction.lifted_at),
    ),
    "sessions": _of(
        BrowserSession.user_id,
        *(BrowserSession.browser, BrowserSession.created_at, BrowserSession.expires_at),
    ),
    "applications": _of(
        OAuthToken.user_id,
        *(OAuthClient.name.label("application"), OAuthToken.scope, OAuthToken.issued_by),
        *(OAuthToken.created_at, OAuthToken.access_expires_at),
        *(OAuthToken.refresh_expires_at, OAuthToken.revoked_at),
    ).join(OAuthClient, OAuthClient.id == OAuthToken.client_id),
    "own_applications": _of(
        OAuthClient.owner_id,
        *(OAuthClient.client_id, OAuthClient.name, OAuthClient.redirect_uris),
        *(OAuthClient.scopes, OAuthClient.created_at),
    ),
}
"""All parts but the account and the photos, by the names of their files; each a SELECT of `_of`."""

PHOTOS: Select[Any] = _of(
    Photo.user_id,
    *(Photo.name, Photo.media_type, Photo.width, Photo.height, Photo.size),
    Photo.created_at,
)
_SELECT_ACCOUNT: Any = select(*_ACCOUNT).where(User.id == bindparam("user_id"))


def account(db: SqlConnection, user_id: int) -> dict[str, Any]:
    """Return the columns of a user's account and profile. Raises NoResultFound without a user."""
    return dict(db.execute(_SELECT_ACCOUNT, {"user_id": user_id}).one()._mapping)


def rows_of(db: SqlConnection, part: Select[Any], user_id: int) -> Iterator[dict[str, Any]]:
    """Yield the rows of a part, by one SELECT for each `BATCH_SIZE` of them."""
    last_id, found = 0, BATCH_SIZE
    while found == BATCH_SIZE:
        batch = db.execute(part, {"user_id": user_id, "last_id": last_id}).all()
        for row in batch:
            yield dict(row._mapping)
            last_id = row.id
        found = len(batch)
