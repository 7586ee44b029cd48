"""The rows of lists as templates show them: with addresses and times in words.

Made here and not in the templates, because each call in a template costs several times as much.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Self

from markupsafe import Markup
from pyramid.renderers import render

from ..queries.rows import TopicListRow, UserSummaryRow
from ..web.api.request import ForumRequest
from .languages import moment
from .paths import node_path, topic_path, user_path

_RENDERED = 500
"""How many topics are kept as HTML, of less than a kilobyte each."""


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
        return cls(time.isoformat(), moment(request.locale_name, time))


@dataclass(frozen=True, slots=True)
class TopicLine:
    """A topic in a list. replier: who replied last; moment: when, or when the topic was opened."""

    row: TopicListRow
    path: str
    node_path: str
    author: Person
    replier: str | None
    replier_path: str
    moment: Moment


def topic_lines(request: ForumRequest, rows: Iterable[TopicListRow]) -> list[Markup]:
    """Return the topics of a list as HTML."""
    return [_render(request.locale_name, _topic_line(request, row)) for row in rows]


@lru_cache(_RENDERED)
def _render(language: str, line: TopicLine) -> Markup:
    """Render a topic. A reply to one of them leaves the others of each list as they were.

    language: of the texts, which the template takes from the current request.
    """
    # The template escaped it.
    return Markup(render("templates/topic_line.jinja2", {"line": line}))  # noqa: S704


def _topic_line(request: ForumRequest, row: TopicListRow) -> TopicLine:
    replier = row.last_reply_user_login
    return TopicLine(
        row,
        topic_path(request, row.id),
        node_path(request, row.node_id),
        Person.of(request, row),
        replier,
        user_path(request, replier) if replier else "",
        Moment.of(request, row.replied_at or row.created_at),
    )
