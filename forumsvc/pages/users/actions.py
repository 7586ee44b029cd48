"""What can be done with a user by a button: follow and block."""

from typing import Any

from ...permissions import UserPermission as May
from ...queries.viewer_states import ViewerState
from ...services import relations
from ...web.api.request import ForumRequest
from ..buttons import Button, button_pages
from ..page_tree import for_users, user_page
from ..paths import user_path


def _follow(request: ForumRequest, row: Any) -> None:
    relations.follow_user(request.db, request.actor_id, request.now, row.user_id)


def _unfollow(request: ForumRequest, row: Any) -> None:
    relations.unfollow_user(request.db, request.actor_id, row.user_id)


def _block(request: ForumRequest, row: Any) -> None:
    relations.block_user(request.db, request.actor_id, request.now, row.user_id)


def _unblock(request: ForumRequest, row: Any) -> None:
    relations.unblock_user(request.db, request.actor_id, row.user_id)


USER_ACTIONS = {
    "follow": Button(May.FOLLOW, _follow, None),
    "unfollow": Button(May.UNFOLLOW, _unfollow, None),
    "block": Button(May.BLOCK, _block, None),
    "unblock": Button(May.UNBLOCK, _unblock, None),
}
"""By the name in the path, which is that of the API."""


def user_buttons(may: dict[str, bool], state: ViewerState) -> list[str]:
    """Return the names of the actions that make sense now and that the caller may do.

    may: by permission; state: the caller's relations to the user.
    """
    shown = [
        "unfollow" if state["followed"] else "follow",
        "unblock" if state["blocked"] else "block",
    ]
    return [name for name in shown if may[USER_ACTIONS[name].permission]]


@button_pages("user", "/{login}", for_users(user_page), USER_ACTIONS)
def _after(request: ForumRequest, row: Any, action: str) -> str:
    return user_path(request, row.user_login)
