"""What can be done with a resource by a button, which stands where the ACL allows it."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from pyramid.config import Configurator
from pyramid.response import Response

from ..schemas.restrictions import REASON_FORM
from ..web.api.api_view import Locked
from ..web.api.request import ForumRequest
from .paths import see_other
from .views import View


class Action(NamedTuple):
    """A button. act: calls the service with the row; locked: as of a view of the API."""

    permission: str
    act: Callable[[ForumRequest, Any], object]
    locked: Locked | None = "state"


def add_buttons(
    config: Configurator,
    kind: str,
    path: str,
    factory: Callable[[ForumRequest], Any],
    actions: Mapping[str, Action],
    path_after: Callable[[ForumRequest, Any, str], str],
) -> None:
    """Add the buttons of a kind of resource: `POST path/action`, with a moderator's reason.

    path_after: returns where to go, from the row and the name of the action.
    """
    route = f"{kind}_action"
    config.add_route(route, f"{path}/{{action:{'|'.join(actions)}}}", factory=factory)
    for name, action in actions.items():
        config.add_view(
            _view(kind, name, action, path_after),
            route_name=route,
            match_param=f"action={name}",
            request_method="POST",
            permission=action.permission,
            locked=action.locked,
            schema=REASON_FORM,
        )


def _view(
    kind: str, name: str, action: Action, path_after: Callable[[ForumRequest, Any, str], str]
) -> View:
    def act(item: Any, request: ForumRequest) -> Response:
        action.act(request, item.row)
        return see_other(path_after(request, item.row, name))

    act.__name__ = f"{name}_{kind}"
    return act
