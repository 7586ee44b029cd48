"""The steps of an erasure, but for texts of others: what the person has, likes and wrote."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, and_, select
from sqlalchemy.orm import Session

from ....cache import topic_versions
from ....cache.invalidation import update_without_invalidation
from ....db.statements import at_least_zero, delete_of, update_of, with_row_locks
from ....models import (
    DataExport,
    Decision,
    Favorite,
    HeldPost,
    HeldState,
    Job,
    JobKind,
    Notification,
    OAuthClient,
    OAuthCode,
    OAuthToken,
    Photo,
    Reply,
    ReplyLike,
    Report,
    Review,
    Topic,
    TopicLike,
    User,
    UserFollow,
)
from ....models.declarations import Erasure, declared
from ....queries import topics as topic_queries
from ....queries.user_locks import lock_users
from ...moderation import reviews
from ...notifications import notify
from .. import data_export_requests
from ..account_work import Account, Change, Step, Steps, by_index, by_scan, deletion
from .posts import POST_STEPS
from .texts import TEXT_STEPS, lock_topics_of


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


_COUNTERS = {"user_id": "following_count", "target_id": "followers_count"}
"""Of follows, by the column of the user who has them."""


def _unfollow(own_column: str, other: str) -> Change:
    """Return what deletes follows. own, other: the columns of the person and of the others."""

    def change(db: Session, now: datetime, account: Account, keys: Sequence[Any]) -> None:
        column = getattr(UserFollow, other)
        others = db.scalars(select(column).where(UserFollow.id.in_(keys))).all()
        lock_users(db, User.id.in_([*others, account.user_id]))
        gone = db.scalars(delete_of(UserFollow).where(UserFollow.id.in_(keys)).returning(column))
        ids = gone.all()
        fewer = {
            _COUNTERS[other]: (User.id.in_(ids), 1),
            _COUNTERS[own_column]: (User.id == account.user_id, len(ids)),
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


def _is_pending_for(account: Account) -> Any:
    actor = Job.data["actor_id"].as_string().cast(BigInteger)
    return and_(Job.kind == JobKind.NOTIFY, actor == account.user_id)


def _of_own_clients(model: Any) -> Step:
    own_clients = select(OAuthClient.id)

    def condition(account: Account) -> Any:
        return model.client_id.in_(own_clients.where(OAuthClient.owner_id == account.user_id))

    return deletion(model, condition)


def _names_person(column: Any) -> Callable[[Account], Any]:
    return lambda account: column == account.user_id


def _special(column: Any, change: Change, size: int = 50, find: Any = by_index) -> tuple[str, Step]:
    """Return the step of a column whose declaration is SPECIAL, with its name."""
    return _name_of(column), Step(find(column.class_, _names_person(column)), change, size)


def _name_of(column: Any) -> str:
    return f"{column.class_.__tablename__}.{column.key}"


_INDIRECT: Steps = {
    # Before the notifications that they would make, and before the clients that they refer to.
    "pending notifications": deletion(Job, _is_pending_for),
    "tokens of applications": _of_own_clients(OAuthToken),
    "codes of applications": _of_own_clients(OAuthCode),
}
_SPECIAL: Steps = dict(
    (
        # The files of exports are deleted behind these rows, some at a time.
        _special(DataExport.user_id, _take_exports),
        _special(Photo.user_id, _delete_photos, 20),
        _special(HeldPost.user_id, _empty_held_posts, 20),
        _special(Report.reporter_id, _empty_own_reports, 100),
        _special(Review.user_id, _empty_reports_of, 20),
        _special(TopicLike.user_id, _unlike_topics),
        _special(ReplyLike.user_id, _unlike_replies),
        _special(Favorite.user_id, _unfavorite),
        _special(UserFollow.user_id, _unfollow("user_id", "target_id")),
        _special(UserFollow.target_id, _unfollow("target_id", "user_id")),
        _special(Notification.user_id, _delete_notifications, 100),
        _special(Notification.actor_id, _delete_notifications, 100, by_scan),
    )
)


def steps_of(models: Iterable[tuple[Any, Mapping[str, Erasure]]]) -> Steps:
    """Return the steps for what the models declare.

    First what is deleted, each table before those that it refers to; then what is SPECIAL, in the
    order of this module. models: each after those that it refers to.
    Raises TypeError where a model declares SPECIAL and has no step here, or the other way round.
    """
    deletions: dict[str, Step] = {}
    special = set()
    for model, by_column in reversed(list(models)):
        for key, erasure in by_column.items():
            column = getattr(model, key)
            if erasure is Erasure.DELETE:
                deletions[_name_of(column)] = deletion(model, _names_person(column))
            elif erasure is Erasure.SPECIAL:
                special.add(_name_of(column))
    if wrong := special ^ _SPECIAL.keys():
        raise TypeError(f"Erasure.SPECIAL and the steps of an erasure differ: {sorted(wrong)}")
    return {**deletions, **_SPECIAL}


_OF_MODELS = steps_of(declared("__erasure__"))
STEPS: dict[str, Steps] = {
    posts: {**_INDIRECT, **_OF_MODELS, **steps, **TEXT_STEPS} for posts, steps in POST_STEPS.items()
}
"""All steps of an erasure, by what becomes of the posts, in their order.

Posts come behind the notifications of the person, and texts last, so that none is rewritten that
is deleted. Jobs store the names of steps: one whose step is unknown begins anew.
"""
