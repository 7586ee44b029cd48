"""How one user stands to a topic, a user, or the replies of a page."""

from collections.abc import Sequence
from functools import cache
from typing import Any

from sqlalchemy import Row, Select, bindparam, exists, select

from ..models import Favorite, ReplyLike, TopicFollow, TopicLike, UserBlock, UserFollow
from .reading import Reader, rows


def _has(model: Any, column: Any, name: str) -> Any:
    pair = (model.user_id == bindparam("user_id"), column == bindparam("id"))
    return exists().where(*pair).label(name)


@cache
def _topic() -> Select[Any]:
    return select(
        _has(TopicFollow, TopicFollow.topic_id, "followed"),
        _has(TopicLike, TopicLike.topic_id, "liked"),
        _has(Favorite, Favorite.topic_id, "favorited"),
    )


def to_topic(db: Reader, user_id: int, topic_id: int) -> Row[Any]:
    """Return whether the user `followed`, `liked`, `favorited` a topic."""
    return rows(db, _topic(), {"user_id": user_id, "id": topic_id})[0]


@cache
def _user() -> Select[Any]:
    return select(
        _has(UserFollow, UserFollow.target_id, "followed"),
        _has(UserBlock, UserBlock.target_id, "blocked"),
    )


def to_user(db: Reader, user_id: int, target_id: int) -> Row[Any]:
    """Return whether the user `followed`, `blocked` another."""
    return rows(db, _user(), {"user_id": user_id, "id": target_id})[0]


@cache
def _liked_replies() -> Select[Any]:
    return select(ReplyLike.reply_id).where(
        ReplyLike.user_id == bindparam("user_id"),
        ReplyLike.reply_id.in_(bindparam("ids", expanding=True)),
    )


def liked_among(db: Reader, user_id: int, reply_ids: Sequence[int]) -> list[int]:
    """Return those of the replies that the user likes, in the order given."""
    if not reply_ids:
        return []
    found = rows(db, _liked_replies(), {"user_id": user_id, "ids": list(reply_ids)})
    liked = {row.reply_id for row in found}
    return [reply_id for reply_id in reply_ids if reply_id in liked]
