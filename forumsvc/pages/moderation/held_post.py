"""/held: one's own posts that wait for a moderator; each can be changed and taken back."""

from typing import Any

import colander
from pyramid.response import Response

from ...models import HeldKind, HeldState
from ...permissions import Common
from ...permissions import HeldPermission as May
from ...presenters.held_posts import hold_reason
from ...queries import held_posts
from ...queries.held_posts import HeldPostRow
from ...resources.held_posts import HeldPostItem, HeldPosts
from ...schemas.fields import Choice, optional
from ...services.moderation import held_posts as held_post_service
from ...web.api.request import ForumRequest
from ..forms import Values
from ..lines import Moment
from ..page import page, page_form
from ..page_tree import held_post_page, held_posts_page
from ..paging import cursor_links, numbered_or_cursor, page_request
from ..paths import post_path, see_other, with_query
from ..previews import beginning
from .held_text import held_html

STATES = (HeldState.WAITING, HeldState.REFUSED)
"""What the list can show."""
_STATE = optional("state", Choice(STATES), str(HeldState.WAITING))


def _list_schema(settings: Any) -> colander.SchemaNode:
    schema = numbered_or_cursor(settings)
    schema.add(_STATE.clone())
    return schema


@page("held_posts", "/held", held_posts_page, May.VIEW_OWN, "held_posts", schema=_list_schema)
def list_held_posts(container: HeldPosts, request: ForumRequest) -> Values:
    """Return the values of the list of one's own posts, the newest first."""
    page, state = page_request(request), request.validated["state"]
    user_id = request.actor_id
    result, cursors = held_posts.page_of(request.db, page, user_id=user_id, state=state)
    return {
        "lines": [_line(request, row) for row in result],
        "state": state,
        "states": STATES,
        **cursor_links(request, cursors, f"&state={state}"),
    }


def _line(request: ForumRequest, row: HeldPostRow) -> Values:
    return {
        "row": row,
        "path": request.route_path("held_post", held_id=row.id),
        "reason": hold_reason(row.reason),
        "moment": Moment.of(request, row.created_at),
        "excerpt": beginning(row.body),
    }


def _path_to_change(request: ForumRequest, row: HeldPostRow) -> str | None:
    """Return where the text of a post that is not published can be changed and sent again."""
    if row.state not in STATES or row.user_id != request.actor_id:
        return None
    if row.kind == HeldKind.TOPIC:
        path = request.route_path("topic_new")
    else:
        path = request.route_path("topic_reply", topic_id=row.topic_id)
    return with_query(path, held=str(row.id))


@page("held_post", r"/held/{held_id:\d+}", held_post_page, Common.VIEW, "held_post")
def show_held_post(item: HeldPostItem, request: ForumRequest) -> Values:
    """Return the values of the page."""
    row = item.row
    return {
        "post": row,
        "html": held_html(request, row.body) if row.body else None,
        "reason": hold_reason(row.reason),
        "written": Moment.of(request, row.created_at),
        "path": post_path(request, row.topic_id, row.reply_id),
        "is_waiting": row.state == HeldState.WAITING,
        "is_own": row.user_id == request.actor_id,
        "change": _path_to_change(request, row),
    }


@page_form(show_held_post, permission=May.WITHDRAW)
def withdraw(item: HeldPostItem, request: ForumRequest) -> Response:
    """Take the post back."""
    held_post_service.withdraw(request.db, request.now, item.row)
    return see_other(request.path)
