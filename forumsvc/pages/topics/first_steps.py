"""What an admin does first with a new forum, on its home page until it is done or put away."""

from typing import NamedTuple

from pyramid.response import Response

from ...permissions import NodePermission
from ...queries import staff, users
from ...resources.nodes import Nodes
from ...settings import default_of
from ...text.messages import Message
from ...web.api.request import ForumRequest
from ...web.pipeline.session_cookie import cookie_name, cookie_of, set_cookie
from ..display import LONGEST_SECONDS
from ..page import page
from ..page_tree import administration_page
from ..paths import redirect_to_page

_COOKIE = "first-steps"
_BEGUN, _PUT_AWAY = "begun", "away"


class Step(NamedTuple):
    """Something to do.

    route: of the page where it is done, None before it can be; field: the id of its field there.
    """

    label: Message
    route: str | None
    is_done: bool
    field: str = ""


def first_steps(request: ForumRequest, *, has_nodes: bool, has_topics: bool) -> list[Step]:
    """Return the steps of a forum in their order; none where they are put away.

    Where all are done, a browser in which they were begun shows them until they are put away.
    """
    state = cookie_of(request, cookie_name(request, _COOKIE))
    if state == _PUT_AWAY:
        return []
    texts = request.site_texts
    is_named = texts.name != default_of("site.name")
    has_people = users.has_others(request.db, request.actor_id)
    has_staff = len(staff.staff(request.db, request.now)) > 1
    steps = [
        Step(Message("Give the forum its name, and a logo if you have one"), "site_edit", is_named),
        Step(Message("Write the rules"), "site_edit", bool(texts.rules), "rules"),
        Step(Message("Add the first node, such as “General” or “Help”"), "node_new", has_nodes),
        Step(Message("Write the first topic"), "topic_new" if has_nodes else None, has_topics),
        Step(Message("Invite people, or let everybody sign up"), "invite", has_people),
        Step(Message("Give somebody a role, to moderate when you are away"), "roles", has_staff),
    ]
    if all(step.is_done for step in steps):
        return steps if state == _BEGUN else []
    if state != _BEGUN:
        set_cookie(request, request.response, _COOKIE, _BEGUN, LONGEST_SECONDS)
    return steps


def are_begun(request: ForumRequest) -> bool:
    """Return whether somebody works on the steps in this browser, and has not put them away."""
    return cookie_of(request, cookie_name(request, _COOKIE)) == _BEGUN


@page(
    "first_steps_away",
    "/settings/forum/first-steps",
    administration_page,
    NodePermission.MANAGE,
    method="POST",
)
def put_away(context: Nodes, request: ForumRequest) -> Response:
    """Show the steps in this browser no longer, or again with `again`."""
    response = redirect_to_page(request, "home")
    value = _BEGUN if request.parameters.get("again") else _PUT_AWAY
    set_cookie(request, response, _COOKIE, value, LONGEST_SECONDS)
    return response
