"""How one user stands to topics, replies or users: which of them they follow, like, and so on."""

from collections.abc import Sequence
from enum import StrEnum
from functools import cache
from typing import Any

from sqlalchemy import BindParameter, CompoundSelect, bindparam, literal_column, select, union_all

from ..db.execution import ReadConnection, rows
from ..models import Favorite, ReplyLike, TopicFollow, TopicLike, UserBlock, UserFollow


class Of(StrEnum):
    """What a user can stand to in one way or another."""

    TOPIC = "topic"
    REPLY = "reply"
    USER = "user"


RELATIONS: dict[Of, dict[str, tuple[Any, Any]]] = {
    Of.TOPIC: {
        "followed": (TopicFollow, TopicFollow.topic_id),
        "liked": (TopicLike, TopicLike.topic_id),
        "favorited": (Favorite, Favorite.topic_id),
    },
    Of.REPLY: {"liked": (ReplyLike, ReplyLike.reply_id)},
    Of.USER: {
        "followed": (UserFollow, UserFollow.target_id),
        "blocked": (UserBlock, UserBlock.target_id),
    },
}
"""The words that make sense for each, and the table that tells."""

State = dict[str, bool]
"""Those words, and whether each holds."""


@cache
def _statement(of: Of) -> CompoundSelect[Any]:
    ids: BindParameter[Any] = bindparam("ids", expanding=True)
    parts = (
        select(literal_column(f"'{word}'").label("word"), column.label("id")).where(
            model.user_id == bindparam("user_id"), column.in_(ids)
        )
        for word, (model, column) in RELATIONS[of].items()
    )
    return union_all(*parts)


def states(db: ReadConnection, of: Of, user_id: int | None, ids: Sequence[int]) -> list[State]:
    """Return how the user stands to each of the things with these ids, in one statement.

    user_id: None for nobody, who stands to nothing, which takes no statement.
    """
    by_id = {thing_id: dict.fromkeys(RELATIONS[of], False) for thing_id in ids}
    if user_id is not None and by_id:
        values = {"user_id": user_id, "ids": [*by_id]}
        for found in rows(db, _statement(of), values):
            by_id[found.id][found.word] = True
    return [by_id[thing_id] for thing_id in ids]
