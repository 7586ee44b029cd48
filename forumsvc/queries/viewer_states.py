"""Loads a viewer's relations to topics, replies or users: followed, liked, blocked and so on.

Of topics also how far the viewer has read, where that is asked for.
"""

from collections.abc import Sequence
from enum import StrEnum
from functools import cache
from typing import Any

from sqlalchemy import (
    BindParameter,
    CompoundSelect,
    bindparam,
    cast,
    literal_column,
    null,
    select,
    union_all,
)

from ..db.base import BigId
from ..db.execution import ReadConnection, rows
from ..models import Favorite, ReplyLike, TopicFollow, TopicLike, TopicRead, UserBlock, UserFollow
from .topic_reads import USER_ID, unread_counts


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

PLACE = ("last_read_reply_id", "first_unread_reply_id", "unread_count")
"""How far the viewer has read a topic; all are None where they have no place in it."""

ViewerState = dict[str, Any]
"""By the name of each relation, whether the viewer has it; by those of PLACE, a number or None."""


@cache
def _statement(subject: Subject, *, with_places: bool) -> CompoundSelect[Any]:
    ids: BindParameter[Any] = bindparam("ids", expanding=True)
    nothing = [cast(null(), BigId).label(name) for name in PLACE] if with_places else []
    parts = [
        select(literal_column(f"'{name}'").label("relation"), column.label("id"), *nothing).where(
            model.user_id == USER_ID, column.in_(ids)
        )
        for name, (model, column) in RELATIONS[subject].items()
    ]
    if with_places:
        places = unread_counts(TopicRead.topic_id.in_(ids)).subquery()
        relation: Any = literal_column("'place'")
        parts.append(select(relation, places.c.topic_id, *(places.c[name] for name in PLACE)))
    return union_all(*parts)


def load_viewer_states(
    db: ReadConnection,
    subject: Subject,
    user_id: int | None,
    ids: Sequence[int],
    *,
    with_places: bool = False,
) -> list[ViewerState]:
    """Return a user's relations to each of the subjects with these ids, in one SELECT.

    user_id: None for an anonymous viewer, who has no relations; this needs no SELECT; with_places:
    of topics, also how far the user has read them (PLACE).
    """
    with_places = with_places and subject is Subject.TOPIC
    names = dict.fromkeys(RELATIONS[subject], False) | dict.fromkeys(PLACE if with_places else ())
    by_id: dict[int, ViewerState] = {subject_id: {**names} for subject_id in ids}
    if user_id is not None and by_id:
        values = {"user_id": user_id, "ids": [*by_id]}
        for item in rows(db, _statement(subject, with_places=with_places), values):
            if item.relation == "place":
                by_id[item.id] |= {name: getattr(item, name) for name in PLACE}
            else:
                by_id[item.id][item.relation] = True
    return [by_id[subject_id] for subject_id in ids]
