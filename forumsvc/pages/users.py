"""The page of a user, with the lists that the API has below it, and the buttons on it."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

from pyramid.response import Response

from ..db.execution import ReadConnection
from ..db.keyset_paging import PageRequest, PageRows
from ..models import PROFILE_TEXTS, UserState
from ..permissions import Common
from ..permissions import UserPermission as May
from ..presenters.users import user_detail
from ..queries import replies, topic_lists, users
from ..queries.topic_lists import UserTopicOrder
from ..queries.viewer_states import Subject, ViewerState, load_viewer_states
from ..resources.users import UserItem
from ..security.identity import Level, level_of
from ..security.policy import abilities, granted
from ..services.posts import relations
from ..text.messages import Message
from ..web.api.request import ForumRequest
from .buttons import Button, button_pages
from .lines import Moment, Person, topic_lines
from .page import page
from .page_tree import for_users, user_page
from .paging import cursor_links, numbered_or_cursor, page_request
from .paths import absolute_url, path_to_go_on, see_other, topic_path, user_path
from .post_html import post_html
from .previews import Preview, beginning, picture_of_page


class UserList(NamedTuple):
    """A list below a user's page. kind: which template part shows its rows."""

    kind: str
    load: Callable[[ReadConnection, int, PageRequest], PageRows]


_SHOWN_APART = ("tagline", "bio")
"""Texts of the profile that have a place of their own on the page."""


def _topics(db: ReadConnection, user_id: int, page: PageRequest) -> PageRows:
    return topic_lists.by_user(db, user_id, UserTopicOrder.RECENT, page)


LISTS = {
    "topics": UserList("topics", _topics),
    "replies": UserList("replies", replies.by_user),
    "favorites": UserList("topics", topic_lists.favorites_of),
    "followers": UserList("users", users.followers_of),
    "following": UserList("users", users.followed_by),
}
_user_page = partial(
    page, factory=user_page, permission=Common.VIEW, template="user", schema=numbered_or_cursor
)


@_user_page("user", "/{login}")
@_user_page("user_list", f"/{{login}}/{{list:{'|'.join(LISTS)}}}")
def show_user(item: UserItem, request: ForumRequest) -> dict[str, Any]:
    """Return the values of a user's page: the profile and one list."""
    name = request.matchdict.get("list", "topics")
    user, site = item.row, request.site
    result = LISTS[name].load(request.db, user.user_id, page_request(request))
    viewer_id = request.caller.user_id if request.caller else None
    [state] = load_viewer_states(request.db, Subject.USER, viewer_id, [user.user_id])
    may = abilities(request.caller, item, May)
    with_email = granted(request.caller, item, May.VIEW_EMAIL)
    with_restriction = granted(request.caller, item, May.VIEW_RESTRICTIONS)
    shown = user_detail(site, user, with_email=with_email, with_restriction=with_restriction)
    if shown["level"] == Level.BLOCKED:
        # Why and how long is nobody's business; who may know it reads it in `restriction`.
        usual = (user.role, UserState.ACTIVE, user.created_at, site.now, site.newbie)
        shown["level_name"] = site.level_names[level_of(*usual)]
    return {
        "user": shown,
        "texts": [text for text in PROFILE_TEXTS if text.name not in _SHOWN_APART],
        "about": _preview(request, shown),
        "feed": f"{request.script_name}/users/{user.user_login}/feed.xml",
        "joined": user.created_at,
        "lists": LISTS,
        "list": name,
        "kind": LISTS[name].kind,
        "rows": _lines(name, result.rows, request),
        "buttons": user_buttons(may, state),
        "asks": [name for name, button in USER_BUTTONS.items() if button.question],
        "may": may,
        "email_is_public": user.email_public,
        "silenced_until": Moment.of(request, user.blocked_until) if user.blocked_until else None,
        **cursor_links(request, result.cursors),
    }


def _preview(request: ForumRequest, user: dict[str, Any]) -> Preview:
    login = user["login"]
    name = user["name"]
    description = " ".join(text for text in (user["tagline"], user["bio"]) if text)
    return Preview(
        site=request.site_texts.name,
        title=login if name == login else f"{name} ({login})",
        description=beginning(description) or name,
        address=absolute_url(request, user_path(request, login)),
        image=picture_of_page(request, user["avatar_url"]),
        type="profile",
        properties={"profile:username": login},
    )


def _lines(name: str, rows: Sequence[Any], request: ForumRequest) -> Sequence[Any]:
    match LISTS[name].kind:
        case "topics":
            return topic_lines(request, rows)
        case "users":
            return [Person.of(request, row) for row in rows]
    return [
        {
            "row": row,
            "path": request.route_path("reply", reply_id=row.id),
            "moment": Moment.of(request, row.created_at),
            "html": post_html(row.body_html, topic_path(request, row.topic_id), reply_id=row.id),
        }
        for row in rows
    ]


@_user_page("user_by_path", "/users/{login}")
def show_or_redirect(item: UserItem, request: ForumRequest) -> Response | dict[str, Any]:
    """Redirect to a user's page, or show it if its usual path belongs to another page."""
    path = user_path(request, item.row.user_login)
    return show_user(item, request) if path.startswith("/users/") else see_other(path)


def _follow(request: ForumRequest, row: Any) -> None:
    relations.follow_user(request.db, request.actor_id, request.now, row.user_id)


def _unfollow(request: ForumRequest, row: Any) -> None:
    relations.unfollow_user(request.db, request.actor_id, row.user_id)


def _block(request: ForumRequest, row: Any) -> None:
    relations.block_user(request.db, request.actor_id, request.now, row.user_id)


def _unblock(request: ForumRequest, row: Any) -> None:
    relations.unblock_user(request.db, request.actor_id, row.user_id)


_BLOCK_QUESTION = Message("Block this person?")
BLOCK_EFFECT = Message(
    "You see none of their topics in the lists, their replies are folded, and nothing of theirs "
    "notifies you. They are not told."
)
USER_BUTTONS = {
    "follow": Button(May.FOLLOW, _follow, None),
    "unfollow": Button(May.UNFOLLOW, _unfollow, None),
    "block": Button(May.BLOCK, _block, None, _BLOCK_QUESTION, BLOCK_EFFECT),
    "unblock": Button(May.UNBLOCK, _unblock, None),
}
"""By the name in the path, which is that of the API."""


def user_buttons(may: dict[str, bool], state: ViewerState) -> list[str]:
    """Return the names of the actions that make sense now and that the caller may do.

    may: by permission; state: the caller's relations to the user.
    """
    if state["blocked"]:
        shown = ["unblock"]
    else:
        shown = ["unfollow" if state["followed"] else "follow", "block"]
    return [name for name in shown if may[USER_BUTTONS[name].permission]]


@button_pages("user", "/{login}", for_users(user_page), USER_BUTTONS)
def _after(request: ForumRequest, row: Any, action: str) -> str:
    return path_to_go_on(request) or user_path(request, row.user_login)
