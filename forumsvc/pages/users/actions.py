"""What can be done with a user by a button: follow and block."""

from collections.abc import Callable
from typing import NamedTuple

from pyramid.config import Configurator
from pyramid.response import Response

from ...permissions import UserPermission as May
from ...queries.viewer_states import ViewerState
from ...resources.users import UserItem
from ...services import relations
from ...web.api.request import ForumRequest
from ..page_tree import for_users, user_page
from ..paths import see_other, user_path


class Action(NamedTuple):
    """A button. act: calls the service with the id of the user."""

    permission: str
    act: Callable[[ForumRequest, int], object]


def _follow(request: ForumRequest, user_id: int) -> None:
    relations.follow_user(request.db, request.actor_id, request.now, user_id)


def _unfollow(request: ForumRequest, user_id: int) -> None:
    relations.unfollow_user(request.db, request.actor_id, user_id)


def _block(request: ForumRequest, user_id: int) -> None:
    relations.block_user(request.db, request.actor_id, request.now, user_id)


def _unblock(request: ForumRequest, user_id: int) -> None:
    relations.unblock_user(request.db, request.actor_id, user_id)


USER_ACTIONS = {
    "follow": Action(May.FOLLOW, _follow),
    "unfollow": Action(May.UNFOLLOW, _unfollow),
    "block": Action(May.BLOCK, _block),
    "unblock": Action(May.UNBLOCK, _unblock),
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


def _view(name: str, action: Action) -> Callable[[UserItem, ForumRequest], Response]:
    def act(item: UserItem, request: ForumRequest) -> Response:
        action.act(request, item.row_id)
        return see_other(user_path(request, item.row.user_login))

    act.__name__ = f"{name}_user"
    return act


def includeme(config: Configurator) -> None:
    names = "|".join(USER_ACTIONS)
    config.add_route("user_action", f"/{{login}}/{{action:{names}}}", factory=for_users(user_page))
    for name, action in USER_ACTIONS.items():
        config.add_view(
            _view(name, action),
            route_name="user_action",
            match_param=f"action={name}",
            request_method="POST",
            permission=action.permission,
        )
