"""The rows of lists as templates show them: with addresses and times in words.

Made here and not in the templates, because each call in a template costs several times as much.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any, Self

from markupsafe import Markup
from pyramid.renderers import render

from ..queries import topic_reads
from ..queries.rows import TopicListRow, UserSummaryRow
from ..web.api.request import ForumRequest
from .languages import moment, short_day
from .paths import node_path, topic_path, user_path

_RENDERED = 500
"""How many topics are kept as HTML, of less than a kilobyte each."""


NEW = timedelta(days=2)
"""For how long a topic that somebody has not opened is new to them."""


@dataclass(frozen=True, slots=True)
class Person:
    """A user beside something else. path: of the user's page; avatar: the address of the image."""

    login: str
    name: str
    path: str
    avatar: str

    @classmethod
    def of(cls, request: ForumRequest, row: UserSummaryRow) -> Self:
        """Make it of the `user_…` columns of a row."""
        login = row.user_login
        avatar = request.site.avatar_url(login, row.user_avatar)
        return cls(login, row.user_name or login, user_path(request, login), avatar)


@dataclass(frozen=True, slots=True)
class Moment:
    """A time. iso: for programs; words: for people."""

    iso: str
    words: str

    @classmethod
    def of(cls, request: ForumRequest, time: datetime) -> Self:
        """Make it in the language of a request."""
        return cls(time.isoformat(timespec="seconds"), moment(request.locale_name, time))

    @classmethod
    def day(cls, request: ForumRequest, time: datetime) -> Self:
        """Make it as `of` does, with a date for words, where there is no room for more."""
        return cls(time.isoformat(timespec="seconds"), short_day(request.locale_name, time))


@dataclass(frozen=True, slots=True)
class TopicLine:
    """A topic in a list. replier: who replied last; moment: when, or when the topic was opened;
    full: the same with the hour.

    unread: how many replies the viewer has not read, of a topic in which they have a place;
    continue_path: of the first of them, or of the last one they read, or ""; is_read: whether they
    read all, or marked it as read with all others; is_new: whether it is one of the last days that
    they have not opened or marked; is_older: whether it is another one that they have not opened.
    """

    row: TopicListRow
    path: str
    node_path: str
    author: Person
    replier: str | None
    replier_path: str
    moment: Moment
    full: str
    unread: int
    continue_path: str
    is_read: bool
    is_new: bool
    is_older: bool


def topic_lines(
    request: ForumRequest, rows: Sequence[TopicListRow], *, by_creation: bool = False
) -> list[Markup]:
    """Return the topics of a list as HTML, with what a user who is logged in has not read.

    by_creation: whether the list is in the order of when they were opened, and shows that.
    """
    places: Mapping[int, Any] = {}
    cutoffs: Mapping[int | None, datetime] = {}
    if request.caller is not None:
        places = topic_reads.of_topics(request.db, request.actor_id, [row.id for row in rows])
        if any(row.id not in places for row in rows):
            cutoffs = topic_reads.cutoff_times(request.db, request.actor_id)
    return [
        _render(
            request.locale_name,
            _topic_line(request, row, places.get(row.id), cutoffs, by_creation=by_creation),
        )
        for row in rows
    ]


@lru_cache(_RENDERED)
def _render(language: str, line: TopicLine) -> Markup:
    """Render a topic. A reply to one of them leaves the others of each list as they were.

    language: of the texts, which the template takes from the current request.
    """
    # The template escaped it.
    return Markup(render("templates/topic_line.jinja2", {"line": line}))  # noqa: S704


def _topic_line(
    request: ForumRequest,
    row: TopicListRow,
    place: Any,
    cutoffs: Mapping[int | None, datetime],
    *,
    by_creation: bool,
) -> TopicLine:
    """place, cutoffs: what `queries.topic_reads` has of the viewer; nothing for a guest."""
    path, active_at = topic_path(request, row.id), row.replied_at or row.created_at
    replier, shown_at = row.last_reply_user_login, active_at
    if by_creation:
        replier, shown_at = None, row.created_at
    unread, next_id, is_read, is_new = 0, None, False, False
    if place is not None:
        unread = place.unread_count
        next_id = place.first_unread_reply_id or place.last_read_reply_id
        is_read = not unread
    elif request.caller is not None:
        marked = [cutoffs[node_id] for node_id in (None, row.node_id) if node_id in cutoffs]
        is_read = any(time >= active_at for time in marked)
        is_new = row.created_at > request.now - NEW and all(
            time < row.created_at for time in marked
        )
    return TopicLine(
        row,
        path,
        node_path(request, row.node_id),
        Person.of(request, row),
        replier,
        user_path(request, replier) if replier else "",
        Moment.day(request, shown_at),
        moment(request.locale_name, shown_at),
        unread,
        "" if next_id is None else f"{path}?reply={next_id}",
        is_read,
        is_new,
        request.caller is not None and place is None and not (is_read or is_new),
    )
