"""The parameters of the endpoints of moderation."""

from enum import StrEnum
from typing import Any

import colander

from ..models import (
    AdminAction,
    Decision,
    EventType,
    HeldState,
    ReportCategory,
    ReviewKind,
    ReviewState,
)
from ..queries.reviews import ReviewOrder
from ..services.moderation.restrictions import HiddenPosts
from .fields import Choice, Id, Integer, Line, Lines, Moment, optional, parameters, required
from .paging import page_parameters

MAX_REASON = 500
MAX_NOTE = 2_000
MAX_COMMENT = 1_000
MAX_DAYS = 3_650
MAX_USER = 20


class Reportable(StrEnum):
    """What can be reported."""

    TOPIC = "topic"
    REPLY = "reply"
    USER = "user"


def report_form(settings: Any) -> colander.SchemaNode:
    """Return the schema of POST /reports."""
    return parameters(
        required("obj_type", Choice(Reportable)),
        required("obj_id", Id()),
        required("category", Choice(ReportCategory)),
        optional("comment", Lines(0, MAX_COMMENT), ""),
    )


def review_list(settings: Any) -> colander.SchemaNode:
    """Return the schema of GET /reviews."""
    return parameters(
        optional("state", Choice(ReviewState), str(ReviewState.OPEN)),
        optional("kind", Choice(ReviewKind)),
        optional("node_id", Id()),
        optional("user", Line(1, MAX_USER)),
        optional("order", Choice(ReviewOrder), str(ReviewOrder.OLDEST)),
        *page_parameters(),
    )


def held_list(settings: Any) -> colander.SchemaNode:
    """Return the schema of GET /held."""
    waiting = str(HeldState.WAITING)
    return parameters(optional("state", Choice(HeldState), waiting), *page_parameters())


def resolve_form(settings: Any) -> colander.SchemaNode:
    """Return the schema of POST /reviews/:id/resolve."""
    return parameters(
        required("decision", Choice(Decision)),
        optional("reason", Lines(0, MAX_REASON)),
        optional("silence_days", Integer(1, MAX_DAYS)),
        optional("version", Integer(1, 2**31 - 1)),
    )


def reason_form(settings: Any) -> colander.SchemaNode:
    """Return the schema of what may be done with a reason."""
    return parameters(optional("reason", Lines(0, MAX_REASON)))


def silence_form(settings: Any) -> colander.SchemaNode:
    """Return the schema of POST /users/:id/silence; `days` and `until` exclude each other."""
    return parameters(
        required("reason", Lines(1, MAX_REASON)),
        optional("days", Integer(1, MAX_DAYS)),
        optional("until", Moment()),
        optional("note", Lines(0, MAX_NOTE), ""),
        optional("hide_posts", Choice(HiddenPosts), str(HiddenPosts.NONE)),
    )


def warning_form(settings: Any) -> colander.SchemaNode:
    """Return the schema of POST /users/:id/warn."""
    return parameters(
        required("reason", Lines(1, MAX_REASON)),
        optional("note", Lines(0, MAX_NOTE), ""),
        optional("topic_id", Id()),
        optional("reply_id", Id()),
    )


def log_list(settings: Any) -> colander.SchemaNode:
    """Return the schema of GET /moderation/log."""
    return parameters(
        optional("action", Choice([*EventType, *AdminAction])),
        optional("actor", Line(1, MAX_USER)),
        optional("user", Line(1, MAX_USER)),
        optional("topic_id", Id()),
        optional("since", Moment()),
        optional("until", Moment()),
        *page_parameters(),
    )
