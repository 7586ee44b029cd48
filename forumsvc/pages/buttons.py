"""What can be done with a resource by a button, which stands where the ACL allows it."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from pyramid.response import Response

from ..markup.text_content import text_content
from ..schemas.restrictions import MAX_REASON, REASON_FORM
from ..web.api.api_view import Locked
from ..web.api.request import ForumRequest
from .page import Page, View, add_to_scan
from .page_tree import Factory
from .paths import post_path, see_other, user_path
from .previews import beginning


class Button(NamedTuple):
    """A button. act: calls the service with the row; locked: as of a view of the API.

    question, effect: of the page that asks first; empty without one.
    """

    permission: str
    act: Callable[[ForumRequest, Any], object]
    locked: Locked | None = "state"
    question: str = ""
    effect: str = ""


PathAfter = Callable[[ForumRequest, Any, str], str]
"""Returns where to go, from the row and the name of the action."""


def button_pages(
    kind: str,
    path: str,
    factory: Factory,
    buttons: Mapping[str, Button],
) -> Callable[[PathAfter], PathAfter]:
    """Declare the buttons of a kind of resource, at the function that says where to go then.

    Each is `POST path/action`, with a moderator's reason. buttons: by the name of the action.
    """
    route = f"{kind}_action", f"{path}/{{action:{'|'.join(buttons)}}}", factory

    def declare(path_after: PathAfter) -> PathAfter:
        pages = []
        for name, button in buttons.items():
            named = {"match_param": f"action={name}"}
            options = {**named, "locked": button.locked, "schema": REASON_FORM}
            act = _view(kind, name, button, path_after)
            pages.append(Page(*route, button.permission, None, act, "POST", options=options))
            if button.question:
                ask = _asking_view(kind, name, button)
                pages.append(Page(*route, button.permission, "ask", ask, options=named))
        add_to_scan(path_after, pages)
        return path_after

    return declare


def _view(kind: str, name: str, button: Button, path_after: PathAfter) -> View:
    def act(item: Any, request: ForumRequest) -> Response:
        button.act(request, item.row)
        return see_other(path_after(request, item.row, name))

    act.__name__ = f"{name}_{kind}"
    return act


def _asking_view(kind: str, name: str, button: Button) -> View:
    asked = {"action": name, "question": button.question, "effect": button.effect}

    def ask(item: Any, request: ForumRequest) -> dict[str, Any]:
        is_moderator = request.caller is not None and request.caller.is_moderator
        post = item.row
        if kind == "user":
            back = user_path(request, post.user_login)
            return {**asked, "kind": kind, "post": post, "back": back, "may_give_reason": False}
        topic_id = post.id if kind == "topic" else post.topic_id
        back = post_path(request, topic_id, None if kind == "topic" else post.id)
        return {
            **asked,
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
