"""/moderation/log: what moderators and administrators did."""

from typing import Any

import colander
import orjson

from ...models import AdminAction, EventType
from ...permissions import LogPermission
from ...queries import audit_log
from ...queries.audit_log import LogFilter, LogRow
from ...resources.audit_log import AuditLog
from ...schemas.fields import Choice, CursorField, Integer, optional, parameters
from ...services.moderation.actions import ACTION_KINDS
from ...web.api.request import ForumRequest
from ..lines import Moment
from ..page import page
from ..page_tree import log_page
from ..paging import cursor_links, page_request
from ..paths import post_path, user_path

TABS = (None, EventType.TOPIC_BANNED, EventType.TOPIC_DELETED, EventType.REPLY_DELETED)
"""What can be chosen: everything, or only what was hidden in one way."""
_NAMED = [action for action in AdminAction if action.startswith(("node.", "section."))]
_WITH_ROLE = (AdminAction.USER_ADDED, EventType.USER_ROLE_CHANGED)
WORDS = {str(type_): kind.words for type_, kind in ACTION_KINDS.items()}


def _schema(settings: Any) -> colander.SchemaNode:
    return parameters(
        optional("action", Choice([tab for tab in TABS if tab])),
        optional("before", CursorField()),
        optional("after", CursorField()),
        optional("page", Integer(1, 1), 1),
    )


@page("moderation_log", "/moderation/log", log_page, LogPermission.VIEW, "log", schema=_schema)
def show_log(log: AuditLog, request: ForumRequest) -> dict[str, Any]:
    """Return the values of the page: the newest first."""
    action = request.validated["action"]
    visible = log.visible_to(request.caller)
    page = page_request(request)
    result, cursors = audit_log.page_of(request.db, visible, LogFilter(action), page)
    return {
        "lines": [_line(request, row) for row in result],
        "tabs": TABS,
        "chosen": action,
        **cursor_links(request, cursors, f"&action={action}" if action else ""),
    }


def _line(request: ForumRequest, row: LogRow) -> dict[str, Any]:
    """Return a record, its words, time, the paths of its post and user, and of its details what it
    names: a node or section, a role, a decision; "" for none.
    """
    # Visitors do not see the details.
    details = orjson.loads(row.details) if row.details else {}
    role = (details.get("after") or details).get("role", "")
    is_decision = row.action == EventType.REVIEW_RESOLVED
    return {
        "row": row,
        "words": WORDS.get(row.action),
        "moment": Moment.of(request, row.created_at),
        "path": post_path(request, row.topic_id, row.reply_id),
        "user_path": user_path(request, row.user_login) if row.user_login else "",
        "decision": str(details.get("decision", "")) if is_decision else "",
        "name": str(details.get("name", "")) if row.action in _NAMED else "",
        "role": request.site.level_names.get(role, "") if row.action in _WITH_ROLE else "",
    }
