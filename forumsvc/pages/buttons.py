"""What can be done with a resource by a button, which stands where the ACL allows it."""

from collections.abc import Callable, Mapping
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


class Button(NamedTuple):
    """A button. act: calls the service with the row; locked: as of a view of the API.

    question, effect: of the page that asks first; empty without one.
    """

    permission: str
    act: Callable[[ForumRequest, Any], object]
    locked: Locked | None = "state"
    question: str = ""
    effect: str = ""


def add_buttons(
    config: Configurator,
    kind: str,
    path: str,
    factory: Callable[[ForumRequest], Any],
    buttons: Mapping[str, Button],
    path_after: Callable[[ForumRequest, Any, str], str],
) -> None:
    """Add the buttons of a kind of resource: `POST path/action`, with a moderator's reason.

    buttons: by the name of the action; path_after: returns where to go, from the row and that name.
    """
    route = f"{kind}_action"
    config.add_route(route, f"{path}/{{action:{'|'.join(buttons)}}}", factory=factory)
    for name, button in buttons.items():
        config.add_view(
            _view(kind, name, button, path_after),
            route_name=route,
            match_param=f"action={name}",
            request_method="POST",
            permission=button.permission,
            locked=button.locked,
            schema=REASON_FORM,
        )
        if button.question:
            config.add_view(
                _asking_view(kind, name, button),
                route_name=route,
                match_param=f"action={name}",
                request_method="GET",
                permission=button.permission,
                renderer="templates/ask.jinja2",
            )


def _view(
    kind: str, name: str, button: Button, path_after: Callable[[ForumRequest, Any, str], str]
) -> View:
    def act(item: Any, request: ForumRequest) -> Response:
        button.act(request, item.row)
        return see_other(path_after(request, item.row, name))

    act.__name__ = f"{name}_{kind}"
    return act


def _asking_view(kind: str, name: str, button: Button) -> View:
    def ask(item: Any, request: ForumRequest) -> dict[str, Any]:
        is_moderator = request.caller is not None and request.caller.is_moderator
        post = item.row
        topic_id = post.id if kind == "topic" else post.topic_id
        back = post_path(request, topic_id, None if kind == "topic" else post.id)
        return {
            "action": name,
            "question": button.question,
            "effect": button.effect,
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
