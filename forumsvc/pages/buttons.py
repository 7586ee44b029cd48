"""What can be done with a resource by a button, which stands where the ACL allows it."""

from collections.abc import Callable, Collection, Mapping
from typing import Any, NamedTuple

from pyramid.config import Configurator
from pyramid.response import Response

from ..markup.text_content import text_content
from ..schemas.restrictions import MAX_REASON, REASON_FORM
from ..web.api.api_view import Locked
from ..web.api.request import ForumRequest
from .paths import post_path, see_other
from .previews import beginning
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
    asking: Collection[str] = (),
) -> None:
    """Add the buttons of a kind of resource: `POST path/action`, with a moderator's reason.

    path_after: returns where to go, from the row and the name of the action; asking: the actions
    that have a page which asks first.
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
        if name in asking:
            config.add_view(
                _asking_view(kind, name),
                route_name=route,
                match_param=f"action={name}",
                request_method="GET",
                permission=action.permission,
                renderer="templates/ask.jinja2",
            )


def _view(
    kind: str, name: str, action: Action, path_after: Callable[[ForumRequest, Any, str], str]
) -> View:
    def act(item: Any, request: ForumRequest) -> Response:
        action.act(request, item.row)
        return see_other(path_after(request, item.row, name))

    act.__name__ = f"{name}_{kind}"
    return act


def _asking_view(kind: str, name: str) -> View:
    def ask(item: Any, request: ForumRequest) -> dict[str, Any]:
        is_moderator = request.caller is not None and request.caller.is_moderator
        post = item.row
        topic_id = post.id if kind == "topic" else post.topic_id
        back = post_path(request, topic_id, None if kind == "topic" else post.id)
        return {
            "action": name,
            "kind": kind,
            "post": post,
            "excerpt": beginning(text_content(post.body_html)),
            "back": back,
            "may_give_reason": is_moderator,
            "max_reason": MAX_REASON,
            "is_own": post.user_id == request.actor_id,
        }

    ask.__name__ = f"ask_{name}_{kind}"
    return ask
