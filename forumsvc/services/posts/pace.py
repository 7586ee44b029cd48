"""How fast a person may post, and that nobody posts the same text twice.

The posts themselves are counted, so the limits hold over several processes and hosts; those that
were deleted, hidden, held or withdrawn since count, too, but not one that the new post replaces.
Posts that one person sends at the same moment may all pass on PostgreSQL.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Select, and_, not_, or_, select
from sqlalchemy.orm import Session

from ...errors import Invalid, RateLimited, too_many
from ...models import HeldKind, HeldPost, HeldState, Reply, Topic
from ...queries.topics import VISIBLE
from ...text.messages import Message

_HOUR, _MINUTE = timedelta(hours=1), timedelta(minutes=1)
_COMPARED = 50
"""So many of a user's newest posts are compared with a new one."""


@dataclass(frozen=True, slots=True)
class Pace:
    """The limits of one community; None for no limit.

    topics_per_hour, pause (before the next topic), replies_per_minute: of members and newbies;
    repeated_after: how long nobody can post the same text again.
    """

    topics_per_hour: int | None = None
    pause: timedelta | None = None
    replies_per_minute: int | None = None
    repeated_after: timedelta | None = None

    def check_topic(
        self, db: Session, actor_id: int, now: datetime, title: str, body: str, *, is_limited: bool
    ) -> None:
        """Raise RateLimited, or Invalid for a text that the user has posted as a topic before.

        is_limited: whether the user is a member.
        """
        if is_limited and self.pause is not None:
            _check_number(db, _topics_of(actor_id, now), 1, self.pause, now)
        if is_limited and self.topics_per_hour is not None:
            _check_number(db, _topics_of(actor_id, now), self.topics_per_hour, _HOUR, now)
        if self.repeated_after is not None:
            newest = select(Topic.body, Topic.title).where(*_is_topic_of(actor_id))
            recent = newest.where(Topic.created_at > now - self.repeated_after)
            rows = db.execute(recent.order_by(Topic.id.desc()).limit(_COMPARED))
            _check_repeated(any(row == (body, title) for row in rows))

    def check_reply(
        self,
        db: Session,
        actor_id: int,
        now: datetime,
        topic_id: int,
        body: str,
        *,
        is_limited: bool,
    ) -> None:
        """Raise RateLimited, or Invalid for a text that the user has posted in the topic before."""
        if is_limited and self.replies_per_minute is not None:
            _check_number(db, _replies_of(actor_id, now), self.replies_per_minute, _MINUTE, now)
        if self.repeated_after is not None:
            recent = (
                select(Reply.body)
                .where(*_is_reply_of(actor_id))
                .where(Reply.topic_id == topic_id, Reply.created_at > now - self.repeated_after)
            )
            bodies = db.scalars(recent.order_by(Reply.id.desc()).limit(_COMPARED))
            _check_repeated(body in bodies.all())


def _topics_of(user_id: int, now: datetime) -> tuple[Select[Any], ...]:
    hidden = or_(Topic.deleted_at.is_not(None), Topic.banned_at.is_not(None))
    newest = select(Topic.created_at).order_by(Topic.id.desc())
    return (
        newest.where(*_is_topic_of(user_id)),
        newest.where(Topic.user_id == user_id, hidden),
        _unpublished(user_id, HeldKind.TOPIC, now),
    )


def _replies_of(user_id: int, now: datetime) -> tuple[Select[Any], ...]:
    newest = select(Reply.created_at).order_by(Reply.id.desc())
    return (
        newest.where(*_is_reply_of(user_id)),
        newest.where(Reply.user_id == user_id, Reply.deleted_at.is_not(None)),
        _unpublished(user_id, HeldKind.REPLY, now),
    )


def _unpublished(user_id: int, kind: HeldKind, now: datetime) -> Select[Any]:
    # What is withdrawn at this very moment is what the new post replaces.
    is_replaced = and_(HeldPost.state == HeldState.WITHDRAWN, HeldPost.closed_at == now)
    condition = HeldPost.user_id == user_id, HeldPost.kind == kind
    newest = select(HeldPost.created_at).order_by(HeldPost.id.desc())
    return newest.where(*condition, HeldPost.state != HeldState.RELEASED, not_(is_replaced))


def _is_topic_of(user_id: int) -> tuple[ColumnElement[bool], ...]:
    # The indexes of a user's posts have those that are visible, or those that are not.
    return (Topic.user_id == user_id, *VISIBLE)


def _is_reply_of(user_id: int) -> tuple[ColumnElement[bool], ...]:
    return (Reply.user_id == user_id, Reply.deleted_at.is_(None))


def _check_number(
    db: Session, posts: tuple[Select[Any], ...], most: int, window: timedelta, now: datetime
) -> None:
    """Raise RateLimited if the user has written so many posts within the window already.

    posts: the times of the newest posts of each kind.
    """
    recent = [time for newest in posts for time in db.scalars(newest.limit(most))]
    times = sorted(recent, reverse=True)[:most]
    if len(times) == most and (left := times[-1] + window - now) > timedelta():
        raise _too_fast(max(1, math.ceil(left.total_seconds())))


def _too_fast(seconds: int) -> RateLimited:
    return too_many("You post too fast. Try again in %(seconds)d seconds.", seconds)


def _check_repeated(is_repeated: bool) -> None:
    if is_repeated:
        raise Invalid("body", Message("is what you wrote before"))


def pace_from_settings(settings: Mapping[str, Any]) -> Pace:
    """Return the limits of the settings `posts.*`; None in it: without that limit."""
    pause, minutes = settings["posts.seconds_between_topics"], settings["posts.duplicate_minutes"]
    return Pace(
        topics_per_hour=settings["posts.topics_per_hour"],
        pause=None if pause is None else timedelta(seconds=pause),
        replies_per_minute=settings["posts.replies_per_minute"],
        repeated_after=timedelta(minutes=minutes) if minutes else None,
    )
