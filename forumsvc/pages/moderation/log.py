"""/moderation/log: what moderators and administrators did."""

from dataclasses import dataclass
from typing import Any

import colander
import orjson
from pyramid.config import Configurator

from ...models import EventType
from ...permissions import LogPermission
from ...queries import audit_log
from ...queries.audit_log import LogFilter, LogRow
from ...resources.audit_log import AuditLog
from ...schemas.fields import Choice, CursorField, Integer, optional, parameters
from ...web.api.request import ForumRequest
from ..lines import Moment
from ..page_tree import log_page
from ..paging import page_request
from ..paths import topic_path, user_path
from ..views import add_page

TABS = (None, EventType.TOPIC_BANNED, EventType.TOPIC_DELETED, EventType.REPLY_DELETED)
"""What can be chosen: everything, or only what was hidden in one way."""


@dataclass(frozen=True, slots=True)
class LogLine:
    """A record. path: of the post that it is about; user_path: of the user; decision: of a review.

    Each is empty without one.
    """

    row: LogRow
    moment: Moment
    path: str
    user_path: str
    decision: str


def _schema(settings: Any) -> colander.SchemaNode:
    return parameters(
        optional("action", Choice([tab for tab in TABS if tab])),
        optional("before", CursorField()),
        optional("after", CursorField()),
        optional("page", Integer(1, 1), 1),
    )


def show_log(log: AuditLog, request: ForumRequest) -> dict[str, Any]:
    """Return the values of the page: the newest first."""
    action = request.validated["action"]
    visible = log.visible_to(request.caller)
    page = page_request(request)
    found, cursors = audit_log.page_of(request.db, visible, LogFilter(action), page)
    query = f"&action={action}" if action else ""

    def link(name: str, cursor: Any) -> str | None:
        return None if cursor is None else f"{request.path}?{name}={cursor}{query}"

    return {
        "lines": [_line(request, row) for row in found],
        "tabs": TABS,
        "chosen": action,
        "newer": link("before", cursors.before),
        "older": link("after", cursors.after),
    }


def _line(request: ForumRequest, row: Any) -> LogLine:
    path = ""
    if row.reply_id is not None:
        path = request.route_path("reply", reply_id=row.reply_id)
    elif row.topic_id is not None:
        path = topic_path(request, row.topic_id)
    user = user_path(request, row.user_login) if row.user_login else ""
    # Visitors do not see the details.
    is_decided = row.action == EventType.REVIEW_RESOLVED and row.details
    decision = orjson.loads(row.details)["decision"] if is_decided else ""
    return LogLine(row, Moment.of(request, row.created_at), path, user, decision)


def includeme(config: Configurator) -> None:
    page = ("moderation_log", "/moderation/log", log_page, LogPermission.VIEW, show_log)
    add_page(config, *page, template="log", schema=_schema)
