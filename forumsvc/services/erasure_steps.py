"""The steps of an erasure, but for texts of others: what the person has, likes and wrote."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, and_, select
from sqlalchemy.orm import Session

from ..cache import topic_versions
from ..cache.invalidation import update_without_invalidation
from ..db.statements import at_least_zero, delete_of, update_of, with_row_locks
from ..models import (
    BrowserSession,
    DataExport,
    Decision,
    Favorite,
    FollowNotification,
    HeldPost,
    HeldState,
    IdempotencyKey,
    Job,
    JobKind,
    LoginAddress,
    Notification,
    OAuthClient,
    OAuthCode,
    OAuthToken,
    Photo,
    PostNetwork,
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
from ..queries import topics as topic_queries
from ..queries.user_locks import lock_users
from . import data_export_requests
from .account_work import Account, Change, Step, Steps, by_index, by_scan, deletion
from .erased_posts import OF_POSTS
from .erased_texts import OF_ERASURE, lock_topics_of
from .moderation import reviews
from .notifications import notify


def _own(model: Any, column: str = "user_id") -> Callable[[Account], Any]:
    def condition(account: Account) -> Any:
        return getattr(model, column) == account.user_id

    return condition


def _indexed(model: Any, change: Change, size: int = 50, column: str = "user_id") -> Step:
    return Step(by_index(model, _own(model, column)), change, size)


def _unlike_topics(db: Session, now: datetime, account: Account, keys: Sequence[Any]) -> None:
    liked = select(TopicLike.topic_id).where(TopicLike.id.in_(keys))
    in_order = select(Topic.id).where(Topic.id.in_(liked)).order_by(Topic.id)
    db.execute(with_row_locks(in_order, Topic)).all()
    gone = delete_of(TopicLike).where(TopicLike.id.in_(keys)).returning(TopicLike.topic_id)
    ids = db.scalars(gone).all()
    fewer = update_of(Topic).values(likes_count=at_least_zero(Topic.likes_count - 1))
    db.execute(fewer.where(Topic.id.in_(ids)))


def _unlike_replies(db: Session, now: datetime, account: Account, keys: Sequence[Any]) -> None:
    liked = select(ReplyLike.reply_id).where(ReplyLike.id.in_(keys))
    lock_topics_of(db, db.scalars(liked).all())
    in_order: Any = select(Reply.id, Reply.topic_id).where(Reply.id.in_(liked)).order_by(Reply.id)
    rows = db.execute(with_row_locks(in_order, Reply)).all()
    gone = delete_of(ReplyLike).where(ReplyLike.id.in_(keys)).returning(ReplyLike.reply_id)
    ids = db.scalars(gone).all()
    fewer = update_of(Reply).values(likes_count=at_least_zero(Reply.likes_count - 1))
    db.execute(fewer.where(Reply.id.in_(ids)))
    for topic_id in sorted({row.topic_id for row in rows}):
        topic_versions.bump(db, topic_id)


def _unfavorite(db: Session, now: datetime, account: Account, keys: Sequence[Any]) -> None:
    rows = select(Favorite.topic_id).where(Favorite.id.in_(keys))
    # Hidden or shown meanwhile, a topic would change the same counter.
    in_order: Any = select(Topic.id, and_(*topic_queries.VISIBLE).label("is_visible"))
    in_order = in_order.where(Topic.id.in_(rows)).order_by(Topic.id)
    visible = {row.id for row in db.execute(with_row_locks(in_order, Topic)) if row.is_visible}
    lock_users(db, User.id == account.user_id)
    gone = delete_of(Favorite).where(Favorite.id.in_(keys)).returning(Favorite.topic_id)
    number = sum(topic_id in visible for topic_id in db.scalars(gone).all())
    counted = at_least_zero(User.favorites_count - number)
    fewer = update_without_invalidation(User).where(User.id == account.user_id)
    db.execute(fewer.values(favorites_count=counted))


def _unfollow(own: str, other: str, own_counter: str, other_counter: str) -> Change:
    """Return what deletes follows. own, other: the columns of the person and of the others."""

    def change(db: Session, now: datetime, account: Account, keys: Sequence[Any]) -> None:
        column = getattr(UserFollow, other)
        others = db.scalars(select(column).where(UserFollow.id.in_(keys))).all()
        lock_users(db, User.id.in_([*others, account.user_id]))
        gone = db.scalars(delete_of(UserFollow).where(UserFollow.id.in_(keys)).returning(column))
        ids = gone.all()
        fewer = {
            other_counter: (User.id.in_(ids), 1),
            own_counter: (User.id == account.user_id, len(ids)),
        }
        for name, (users, by) in fewer.items():
            counted = at_least_zero(getattr(User, name) - by)
            db.execute(update_without_invalidation(User).where(users).values({name: counted}))

    return change


def _delete_notifications(
    db: Session, now: datetime, account: Account, keys: Sequence[Any]
) -> None:
    matches = Notification.id.in_(keys)
    lock_users(db, User.id.in_(select(Notification.user_id).where(matches)))
    notify.delete(db, matches)


def _delete_photos(
    db: Session, now: datetime, account: Account, keys: Sequence[Any]
) -> Sequence[str]:
    return db.scalars(delete_of(Photo).where(Photo.id.in_(keys)).returning(Photo.name)).all()


def _take_exports(db: Session, now: datetime, account: Account, keys: Sequence[Any]) -> None:
    data_export_requests.delete_of_user(db, account.user_id)


def _empty_held_posts(db: Session, now: datetime, account: Account, keys: Sequence[Any]) -> None:
    for held_id in keys:
        key, user_id = f"held_post:{held_id}", account.user_id
        reviews.close_review(db, now, key, Decision.DISMISS, user_id, actor_id=None)
    emptied = update_of(HeldPost).where(HeldPost.id.in_(keys))
    db.execute(emptied.values(body=""))
    db.execute(emptied.where(HeldPost.title.is_not(None)).values(title=""))
    waiting = emptied.where(HeldPost.state == HeldState.WAITING)
    db.execute(waiting.values(state=str(HeldState.WITHDRAWN), closed_at=now))


def _empty_own_reports(db: Session, now: datetime, account: Account, keys: Sequence[Any]) -> None:
    db.execute(update_of(Report).where(Report.id.in_(keys)).values(comment=""))


def _empty_reports_of(db: Session, now: datetime, account: Account, keys: Sequence[Any]) -> None:
    # A copy of what they wrote.
    db.execute(update_of(Report).where(Report.review_id.in_(keys)).values(text=None))


def _of_own_clients(model: Any) -> Step:
    own = select(OAuthClient.id)

    def condition(account: Account) -> Any:
        return model.client_id.in_(own.where(OAuthClient.owner_id == account.user_id))

    return deletion(model, condition)


def _is_pending_for(account: Account) -> Any:
    actor = Job.data["actor_id"].as_string().cast(BigInteger)
    return and_(Job.kind == JobKind.NOTIFY, actor == account.user_id)


_PRIVATE: Steps = {
    # The files of exports are deleted behind these rows, some at a time.
    "exports": _indexed(DataExport, _take_exports),
    "photos": _indexed(Photo, _delete_photos, 20),
    "pending notifications": deletion(Job, _is_pending_for),
    **{
        model.__tablename__: deletion(model, _own(model))
        for model in (BrowserSession, LoginAddress, IdempotencyKey, PostNetwork, Restriction)
    },
    "tokens": deletion(OAuthToken, _own(OAuthToken)),
    "codes": deletion(OAuthCode, _own(OAuthCode)),
    "tokens of applications": _of_own_clients(OAuthToken),
    "codes of applications": _of_own_clients(OAuthCode),
    "applications": deletion(OAuthClient, _own(OAuthClient, "owner_id")),
    "held posts": _indexed(HeldPost, _empty_held_posts, 20),
    "own reports": _indexed(Report, _empty_own_reports, 100, "reporter_id"),
    "reports": _indexed(Review, _empty_reports_of, 20),
}
_RELATIONS: Steps = {
    "topic likes": _indexed(TopicLike, _unlike_topics),
    "reply likes": _indexed(ReplyLike, _unlike_replies),
    "favorites": _indexed(Favorite, _unfavorite),
    "topic follows": deletion(TopicFollow, _own(TopicFollow)),
    "following": _indexed(
        UserFollow, _unfollow("user_id", "target_id", "following_count", "followers_count")
    ),
    "followers": _indexed(
        UserFollow,
        _unfollow("target_id", "user_id", "followers_count", "following_count"),
        column="target_id",
    ),
    **{
        f"{model.__tablename__} by {column}": deletion(model, _own(model, column))
        for model in (UserBlock, FollowNotification)
        for column in ("user_id", "target_id")
    },
    "own notifications": _indexed(Notification, _delete_notifications, 100),
    "notifications": Step(
        by_scan(Notification, _own(Notification, "actor_id")), _delete_notifications, 100
    ),
}
STEPS: dict[str, Steps] = {
    posts: {**_PRIVATE, **_RELATIONS, **steps, **OF_ERASURE} for posts, steps in OF_POSTS.items()
}
"""All steps of an erasure, by what becomes of the posts."""
