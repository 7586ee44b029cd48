"""Remembers behind the request what people have read: their places and their notifications.

The request only reads. What a killed process loses is marked when the topic is opened again.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from time import monotonic
from typing import Any

from sqlalchemy import Select, bindparam, select
from sqlalchemy.exc import IntegrityError

from ... import clock
from ...db.deferred_writes import DeferredWrites
from ...models import Notification, NotificationType
from ...queries.user_locks import lock_present
from ...text.ids import known_ids
from ..notifications import inbox
from .reading import upsert_place

_CHUNK = 100
"""The most places that one transaction writes."""


@dataclass(slots=True)
class _Opened:
    """What a user has seen of a topic.

    at: when that was; reply_ids: the replies that a page showed; until: the id of the reply up to
    which all count as seen, for a client that shows them all; place: the reply up to which all are
    read, 0 if that is not known; newest_id: of the topic's newest reply; notifies: whether the user
    has unread notifications.
    """

    at: datetime
    reply_ids: set[int] = field(default_factory=set)
    until: int = 0
    place: int = 0
    newest_id: int = 0
    notifies: bool = False

    def includes(self, reply_id: int | None) -> bool:
        """Return whether the user has seen this reply, or the topic itself."""
        return reply_id is None or reply_id in self.reply_ids or reply_id <= self.until

    @property
    def last_reply_id(self) -> int:
        """The last reply that was seen, 0 without one."""
        return max({self.until, *self.reply_ids})

    def add(self, other: "_Opened") -> None:
        self.reply_ids |= other.reply_ids
        self.until = max(self.until, other.until)
        self.place = max(self.place, other.place)
        self.newest_id = max(self.newest_id, other.newest_id)
        # The first: what was seen before the user set their place back must not move it again.
        self.at = min(self.at, other.at)
        self.notifies |= other.notifies


class ReadMarker(DeferredWrites[tuple[int, int], _Opened]):
    """Writes what people have read, by user and topic."""

    name = "read-marks"
    words = "what people have read"

    def opened(
        self,
        user_id: int,
        topic_id: int,
        reply_ids: Sequence[int],
        newest_id: int,
        *,
        notifies: bool,
        place: int | None = None,
    ) -> None:
        """Mark later that the user saw a topic and these replies, and what notifies them of these.

        place: the reply that is their place then, 0: their place stays; None: the last of these.

        Who reached the oldest reply that is unread among their notifications has opened all that
        notifies them of replies up to `newest_id`, the topic's newest one then: also those of the
        pages after it. What mentions them there stays unread.

        notifies: whether the user has unread notifications. Nothing is done while too many wait.
        """
        place = max(reply_ids, default=0) if place is None else place
        seen = _Opened(clock.now(), set(reply_ids), 0, place, newest_id, notifies)
        self._add((user_id, topic_id), seen)

    def opened_whole(self, user_id: int, topic_id: int, last_reply_id: int) -> None:
        """Mark later that the user saw a topic and all its replies up to this one; as `opened`."""
        seen = _Opened(clock.now(), set(), *(last_reply_id,) * 3, notifies=True)
        self._add((user_id, topic_id), seen)

    def finish_of(self, user_id: int) -> bool:
        """Write at once what a user has read, and return whether some of it waited."""
        with self._lock:
            waits = any(user == user_id for user, _ in self._waiting)
        if waits:
            self._finish_or_log()
        return waits

    def _merge(self, former: _Opened, value: _Opened) -> _Opened:
        former.add(value)
        return former

    def _write(self, waiting: dict[tuple[int, int], _Opened], until: float) -> None:
        keys = sorted(waiting)
        for first in range(0, len(keys), _CHUNK):
            if monotonic() >= until:
                return
            chunk = {key: waiting[key] for key in keys[first : first + _CHUNK]}
            self._write_places([_place(*key, seen) for key, seen in chunk.items()])
            self._mark_notifications({key: seen for key, seen in chunk.items() if seen.notifies})
            for key in chunk:
                del waiting[key]

    def _write_places(self, places: list[dict[str, Any]]) -> None:
        statement = upsert_place(self._database.writes.dialect.name, is_marked=False)
        try:
            with self._database.writes.begin() as db:
                present = lock_present(db, {place["user_id"] for place in places})
                # Nothing would delete the place of somebody who has been erased since.
                remaining = [place for place in places if place["user_id"] in present]
                if remaining:
                    db.execute(statement, remaining)
        except IntegrityError:
            if len(places) == 1:
                # The topic has been deleted for good since.
                return
            for place in places:
                self._write_places([place])

    def _mark_notifications(self, opened: dict[tuple[int, int], _Opened]) -> None:
        if not opened:
            return
        users, topics = ([*{key[at] for key in opened}] for at in (0, 1))
        with self._database.reads.connect() as connection:
            unread = connection.execute(_select_unread(), {"users": users, "topics": topics}).all()
        seen_ids: defaultdict[tuple[int, int], set[int]] = defaultdict(set)
        replies_until: defaultdict[tuple[int, int], int] = defaultdict(int)
        for one in unread:
            seen = opened.get(key := (one.user_id, one.topic_id))
            if seen is None:
                continue
            if one.reply_id is not None and one.type == NotificationType.TOPIC_REPLY:
                if one.reply_id <= seen.last_reply_id:
                    replies_until[key] = seen.newest_id
            elif seen.includes(one.reply_id):
                seen_ids[key].update(known_ids([one.reply_id]))
        for user_id, topic_id in {**seen_ids, **replies_until}:
            key = user_id, topic_id
            with self._database.session.begin() as db:
                inbox.mark_topic_read(
                    *(db, user_id, clock.now(), topic_id, sorted(seen_ids[key])),
                    replies_until=replies_until[key],
                )


def _place(user_id: int, topic_id: int, seen: _Opened) -> dict[str, Any]:
    """Return the values of `upsert_place`."""
    return {
        "user_id": user_id,
        "topic_id": topic_id,
        "last_reply_id": seen.place,
        "read_at": seen.at,
    }


@cache
def _select_unread() -> Select[Any]:
    columns: list[Any] = [
        Notification.user_id,
        Notification.topic_id,
        Notification.reply_id,
        Notification.type,
    ]
    return select(*columns).where(
        Notification.user_id.in_(bindparam("users", expanding=True)),
        Notification.topic_id.in_(bindparam("topics", expanding=True)),
        Notification.read_at.is_(None),
    )
