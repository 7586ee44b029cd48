"""Loads a viewer's relations to topics, replies or users: followed, liked, blocked and so on."""

from collections.abc import Sequence
from enum import StrEnum
from functools import cache
from typing import Any

from sqlalchemy import BindParameter, CompoundSelect, bindparam, literal_column, select, union_all

from ..db.execution import ReadConnection, rows
from ..models import Favorite, ReplyLike, TopicFollow, TopicLike, UserBlock, UserFollow


class Subject(StrEnum):
    """What a viewer can have a relation to."""

    TOPIC = "topic"
    REPLY = "reply"
    USER = "user"


RELATIONS: dict[Subject, dict[str, tuple[Any, Any]]] = {
    Subject.TOPIC: {
        "followed": (TopicFollow, TopicFollow.topic_id),
        "liked": (TopicLike, TopicLike.topic_id),
        "favorited": (Favorite, Favorite.topic_id),
    },
    Subject.REPLY: {"liked": (ReplyLike, ReplyLike.reply_id)},
    Subject.USER: {
        "followed": (UserFollow, UserFollow.target_id),
        "blocked": (UserBlock, UserBlock.target_id),
    },
}
"""The relations to each, with their tables and columns."""

ViewerState = dict[str, bool]
"""By the name of each relation, whether the viewer has it."""


@cache
def _statement(subject: Subject) -> CompoundSelect[Any]:
    ids: BindParameter[Any] = bindparam("ids", expanding=True)
    parts = (
        select(literal_column(f"'{name}'").label("relation"), column.label("id")).where(
            model.user_id == bindparam("user_id"), column.in_(ids)
        )
        for name, (model, column) in RELATIONS[subject].items()
    )
    return union_all(*parts)


def load_viewer_states(
    db: ReadConnection, subject: Subject, user_id: int | None, ids: Sequence[int]
) -> list[ViewerState]:
    """Return a user's relations to each of the subjects with these ids, in one SELECT.

    user_id: None for an anonymous viewer, who has no relations; this needs no SELECT.
    """
    by_id = {subject_id: dict.fromkeys(RELATIONS[subject], False) for subject_id in ids}
    if user_id is not None and by_id:
        values = {"user_id": user_id, "ids": [*by_id]}
        for item in rows(db, _statement(subject), values):
            by_id[item.id][item.relation] = True
    return [by_id[subject_id] for subject_id in ids]
