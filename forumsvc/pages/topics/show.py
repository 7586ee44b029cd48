"""The page of a topic with its replies, of who likes them, and where a reply stands."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, cast

from markupsafe import Markup
from pyramid.response import Response

from ...errors import NotFound
from ...permissions import Common, ReplyPermission, TopicPermission
from ...queries import replies, staff, users
from ...queries.rows import ReplyListRow, TopicRow
from ...queries.viewer_states import Subject, ViewerState, load_viewer_states
from ...resources.replies import ReplyItem, listed_reply
from ...resources.topics import TopicItem
from ...security.denial import denial_message
from ...security.policy import abilities
from ...web.api.request import ForumRequest
from ...web.http_cache.cache_policy import TOPIC
from ..form_keys import form_key
from ..lines import Moment, Person
from ..page import page
from ..page_tree import reply_page, topic_page
from ..paging import cursor_links, numbered, numbered_or_cursor, page_numbers, page_request
from ..paths import node_path, reply_path, see_other, topic_path
from ..pictures import may_upload
from ..post_html import MAX_PAGE_TEXT, REPLIES_PER_PAGE, page_of_floor, post_html
from ..previews import topic_preview
from .actions import asking_buttons, reply_buttons, topic_buttons

_likers_page = partial(page, permission=Common.VIEW, template="likes", schema=numbered_or_cursor)


@dataclass(frozen=True, slots=True)
class ShownReply:
    """A reply, and what the caller may do with it.

    floor: its place in the topic, from 1; html: None where the page only links to it.
    """

    row: ReplyListRow
    floor: int
    author: Person
    moment: Moment
    html: Markup | None
    may_edit: bool
    may_report: bool
    buttons: list[str]


@page(
    "topic",
    r"/topics/{topic_id:\d+}",
    topic_page,
    Common.VIEW,
    "show",
    schema=numbered,
    cache_policy=TOPIC,
    tried_first=True,
)
def show_topic(item: TopicItem, request: ForumRequest) -> dict[str, Any]:
    """Return the values of the page of a topic. Raises NotFound for one behind its end."""
    row = cast("TopicRow", item.row)
    user_id = request.caller.user_id if request.caller else None
    result = replies.of_topic(request.db, row.id, page_request(request, REPLIES_PER_PAGE))
    number = request.validated["page"]
    if number > 1 and not result.rows:
        raise NotFound("This topic has no such page.")
    [state] = load_viewer_states(request.db, Subject.TOPIC, user_id, [row.id])
    ids = [row.id for row in result.rows]
    states = load_viewer_states(request.db, Subject.REPLY, user_id, ids)
    may = abilities(request.caller, item, TopicPermission)
    first = (number - 1) * REPLIES_PER_PAGE + 1
    has_more = result.cursors.after is not None
    last_floor = None if has_more else first + len(result.rows) - 1
    with_text = _floors_with_text(result.rows, first, request.validated["from"])
    context = request.page_context
    if context.user is not None and context.user.unread_count:
        request.registry.read_marker.opened(context.user.user_id, row.id, ids)
    moderators = staff.staff_ids(request.executor, request.page_cache, row.names_version)
    author, path = Person.of(request, row), topic_path(request, row.id)
    return {
        "topic": row,
        "about": topic_preview(request, row, number, author.avatar),
        "author": author,
        "moment": Moment.of(request, row.created_at),
        "node_path": node_path(request, row.node_id),
        "html": post_html(row.body_html, path, number, last_floor=last_floor),
        "hits": row.hits + request.registry.view_counter.pending_for(row.id),
        "replies": [
            _shown(one, floor, last_floor, item, of_caller, request, with_text=floor in with_text)
            for floor, (one, of_caller) in enumerate(zip(result.rows, states, strict=True), first)
        ],
        "path": path,
        "page": number,
        "numbers": page_numbers(number, _page_count(row, number, has_more=has_more)),
        "may": may,
        "may_upload": may[TopicPermission.REPLY] and may_upload(request, item.root),
        "why_no_reply": request.caller
        and not may[TopicPermission.REPLY]
        and denial_message(request.caller, item, TopicPermission.REPLY),
        "buttons": topic_buttons(may, row, state),
        "asks": asking_buttons(may),
        "form_key": form_key(request),
        "is_staff": moderators.__contains__,
    }


def _page_count(row: TopicRow, number: int, *, has_more: bool) -> int:
    # Deleted replies keep their places and are not counted: there may be more pages than this.
    return max(page_of_floor(row.replies_count), number + has_more)


def _floors_with_text(rows: Sequence[ReplyListRow], first: int, start: int) -> range:
    """Return which replies of a page have their texts: from `start` on as many as fit, or one."""
    size, start = 0, max(first, start)
    for floor, row in enumerate(rows[start - first :], start):
        size += len(row.body_html)
        if size > MAX_PAGE_TEXT and floor > start:
            return range(start, floor)
    return range(start, first + len(rows))


def _shown(
    row: ReplyListRow,
    floor: int,
    last_floor: int | None,
    topic: TopicItem,
    state: ViewerState,
    request: ForumRequest,
    *,
    with_text: bool,
) -> ShownReply:
    may_edit, may_report, buttons = False, False, []
    if request.caller is not None:
        may = abilities(request.caller, listed_reply(topic, row), ReplyPermission)
        may_edit, may_report = may[ReplyPermission.UPDATE], may[ReplyPermission.REPORT]
        buttons = reply_buttons(may, row, state)
    author, moment = Person.of(request, row), Moment.of(request, row.created_at)
    page = page_of_floor(floor)
    path = topic_path(request, row.topic_id)
    html = None
    if with_text:
        html = post_html(row.body_html, path, page, last_floor=last_floor, reply_id=row.id)
    return ShownReply(row, floor, author, moment, html, may_edit, may_report, buttons)


@page("reply", r"/replies/{reply_id:\d+}", reply_page, Common.VIEW)
def go_to_reply(item: ReplyItem, request: ForumRequest) -> Response:
    """Redirect to the place of a reply."""
    return see_other(reply_path(request, item.row.id))


@page("last_reply", r"/topics/{topic_id:\d+}/last", topic_page, Common.VIEW)
def go_to_last(item: TopicItem, request: ForumRequest) -> Response:
    """Redirect to the last reply of a topic, or to the topic where there is none."""
    last = replies.last_of(request.db, item.row.id)
    return see_other(
        topic_path(request, item.row.id) if last is None else reply_path(request, last)
    )


@_likers_page("topic_likes", r"/topics/{topic_id:\d+}/likes", topic_page)
def show_topic_likers(item: TopicItem, request: ForumRequest) -> dict[str, Any]:
    """Return the values of the page of those who like a topic."""
    result = users.likers_of_topic(request.db, item.row.id, page_request(request))
    return _people(request, result, topic_path(request, item.row.id))


@_likers_page("reply_likes", r"/replies/{reply_id:\d+}/likes", reply_page)
def show_reply_likers(item: ReplyItem, request: ForumRequest) -> dict[str, Any]:
    """Return the values of the page of those who like a reply."""
    result = users.likers_of_reply(request.db, item.row.id, page_request(request))
    return _people(request, result, request.route_path("reply", reply_id=item.row.id))


def _people(request: ForumRequest, result: Any, path: str) -> dict[str, Any]:
    people = [Person.of(request, row) for row in result.rows]
    return {"people": people, "path": path, **cursor_links(request, result.cursors)}
