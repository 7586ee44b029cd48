"""The page of a topic with its replies, of who likes them, and where a reply stands."""

from collections.abc import Callable, Mapping, Sequence
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
from ...security.denial import special_reason
from ...security.policy import abilities
from ...web.api.request import ForumRequest
from ...web.http_cache.cache_policy import TOPIC
from ...web.visible_texts import blocked_authors
from ..drafts import shown_draft
from ..flash_messages import flash_message
from ..form_keys import form_key
from ..lines import Moment, Person
from ..page import page
from ..page_tree import reply_page, topic_page
from ..paging import cursor_links, numbered, numbered_or_cursor, page_numbers, page_request
from ..paths import floor_path, node_path, reply_path, see_other, topic_path
from ..pictures import may_upload
from ..post_html import (
    FLOOR_LINK,
    MAX_PAGE_TEXT,
    REPLIES_PER_PAGE,
    answers_by_floor,
    page_of_floor,
    post_html,
)
from ..post_pictures import with_sizes
from ..previews import topic_preview
from .actions import asking_buttons, reply_buttons, topic_buttons
from .first_steps import are_begun
from .lists import count_unread
from .seen import mark_shown
from .versions import Edited, edited_posts

_MAX_LATER = 200
"""Among so many replies after a page answers to those on it are looked for."""
_likers_page = partial(page, permission=Common.VIEW, template="likes", schema=numbered_or_cursor)


@dataclass(frozen=True, slots=True)
class ShownReply:
    """A reply, and what the caller may do with it.

    floor: its place in the topic, from 1; html: None where the page only links to it;
    is_folded: whether the caller blocks its author.
    """

    row: ReplyListRow
    floor: int
    author: Person
    moment: Moment
    html: Markup | None
    is_folded: bool
    edited: Edited | None
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
def show_topic(item: TopicItem, request: ForumRequest) -> Any:
    """Return the values of the page of a topic, or a redirect to the page of a reply.

    Raises NotFound for a page behind its end, and for a reply of another topic.
    """
    row = cast("TopicRow", item.row)
    if request.validated["reply"] is not None:
        return _to_reply(row.id, request)
    if request.validated["floor"] is not None:
        return _to_floor(row.id, request)
    user_id = request.caller.user_id if request.caller else None
    result = replies.of_topic(request.db, row.id, page_request(request, REPLIES_PER_PAGE))
    number = request.validated["page"]
    if number > 1 and not result.rows:
        raise NotFound("This topic has no such page.")
    [state] = load_viewer_states(
        request.db, Subject.TOPIC, user_id, [row.id], with_places=user_id is not None
    )
    ids = [row.id for row in result.rows]
    blocked = blocked_authors(request, [row.user_id for row in result.rows])
    states = load_viewer_states(request.db, Subject.REPLY, user_id, ids)
    may = abilities(request.caller, item, TopicPermission)
    first = (number - 1) * REPLIES_PER_PAGE + 1
    last = first + len(result.rows) - 1
    has_more = result.cursors.after is not None
    floors, newest = last, result.rows[-1].id if result.rows else 0
    if has_more:
        floors, newest = replies.extent_of(request.db, row.id)
    with_text = _floors_with_text(result.rows, first, request.validated["from"])
    shown = [one.id for floor, one in enumerate(result.rows, first) if floor in with_text]
    next_unread = _next_unread(state, number, result.rows)
    mark_shown(request, row.id, shown, newest, next_unread)
    cache, names_version = request.page_cache, row.names_version
    moderators = staff.staff_ids(request.executor, cache, names_version, request.now)
    author, path = Person.of(request, row), topic_path(request, row.id)
    texts = [one.body_html for floor, one in enumerate(result.rows, first) if floor in with_text]
    sized = with_sizes(request, [row.body_html, *texts])
    edited = edited_posts(request, item, result.rows)
    return {
        "topic": row,
        "about": topic_preview(request, row, number, author.avatar),
        "author": author,
        "moment": Moment.of(request, row.created_at),
        "begun": Moment.day(request, row.created_at),
        "replied": row.replied_at and Moment.day(request, row.replied_at),
        "edited": edited(row),
        "node_path": node_path(request, row.node_id),
        "html": post_html(sized(row.body_html), path, number, last_floor=floors, levels=1),
        "hits": row.hits + request.registry.view_counter.pending_for(row.id),
        "replies": [
            _shown(
                *(one, floor, floors, item, of_caller, edited(one), request),
                sized if floor in with_text else None,
                is_folded=one.user_id in blocked,
            )
            for floor, (one, of_caller) in enumerate(zip(result.rows, states, strict=True), first)
        ],
        "answers": _answers(request, row.id, result.rows, first, has_more=has_more),
        "unread": state.get("unread_count") or 0,
        "first_unread": state.get("first_unread_reply_id"),
        "unread_topics": count_unread(request, row.id),
        "newest": newest,
        "next_unread": next_unread,
        "path": path,
        "flash_message": flash_message(request) if user_id is not None else None,
        "has_steps": user_id == row.user_id and not floors and are_begun(request),
        "page": number,
        "numbers": page_numbers(number, page_of_floor(floors)),
        "first_floor": first,
        "shown_last_floor": last,
        "floors": floors,
        "may": may,
        "draft": shown_draft(item, request) if may[TopicPermission.REPLY] else None,
        "may_upload": may[TopicPermission.REPLY] and may_upload(request, item.root),
        "why_no_reply": request.caller
        and not may[TopicPermission.REPLY]
        and special_reason(request.caller, item, TopicPermission.REPLY),
        "buttons": topic_buttons(may, row, state),
        "asks": asking_buttons(may),
        "form_key": form_key(request),
        "is_staff": moderators.__contains__,
    }


def _answers(
    request: ForumRequest,
    topic_id: int,
    shown: Sequence[ReplyListRow],
    first: int,
    *,
    has_more: bool,
) -> Mapping[int, Sequence[int]]:
    """Return the places of the answers to replies that a page shows, also those of later pages.

    first: the place of the first shown one.
    """
    posts = [(floor, one.body_html) for floor, one in enumerate(shown, first)]
    if has_more:
        last, newest = first + len(shown) - 1, shown[-1].id
        later = replies.later_with(request.db, topic_id, newest, FLOOR_LINK, _MAX_LATER)
        posts += [(last + place, html) for place, html in later]
    return answers_by_floor(posts)


def _next_unread(state: ViewerState, number: int, rows: Sequence[ReplyListRow]) -> int | None:
    """Return from which reply on the user goes on reading; None where they have read all.

    Who opens the topic for the first time begins with the first one, which is on the first page.
    """
    if state.get("unread_count") is not None or not rows:
        return state.get("first_unread_reply_id")
    return rows[0].id if number == 1 else 0


def _to_reply(topic_id: int, request: ForumRequest) -> Response:
    reply_id = request.validated["reply"]
    reply = replies.state(request.db, reply_id)
    if reply is None or reply.topic_id != topic_id:
        raise NotFound("This topic has no such reply.")
    return see_other(reply_path(request, reply_id))


def _to_floor(topic_id: int, request: ForumRequest) -> Response:
    """Redirect to the reply with this number, or to the last one where there are not so many."""
    floors, _ = replies.extent_of(request.db, topic_id)
    floor = min(request.validated["floor"], floors)
    return see_other(f"{floor_path(request, topic_id, floor)}#floor-{floor}")


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
    last_floor: int,
    topic: TopicItem,
    state: ViewerState,
    edited: Edited | None,
    request: ForumRequest,
    sized: Callable[[str], str] | None,
    *,
    is_folded: bool,
) -> ShownReply:
    """Return a reply as it is shown; sized: as of `with_sizes`, None: without its text."""
    may_edit, may_report, buttons = False, False, []
    if request.caller is not None:
        may = abilities(request.caller, listed_reply(topic, row), ReplyPermission)
        may_edit, may_report = may[ReplyPermission.UPDATE], may[ReplyPermission.REPORT]
        buttons = reply_buttons(may, row, state)
    author, moment = Person.of(request, row), Moment.of(request, row.created_at)
    page = page_of_floor(floor)
    path = topic_path(request, row.topic_id)
    html = None
    if sized is not None:
        html = post_html(sized(row.body_html), path, page, last_floor=last_floor, reply_id=row.id)
    return ShownReply(
        *(row, floor, author, moment, html, is_folded, edited, may_edit, may_report, buttons)
    )


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
