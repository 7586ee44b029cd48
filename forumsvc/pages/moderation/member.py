"""/moderation/users/:login: a user's restrictions, with forms to silence and to warn."""

from collections.abc import Mapping
from typing import Any

from pyramid.response import Response

from ...models import UserState, state_at
from ...permissions import UserPermission as May
from ...queries import restrictions
from ...resources.users import UserItem
from ...schemas.restrictions import REASON_FORM, SILENCE_FORM, WARNING_FORM
from ...security.policy import abilities
from ...services.access import post_networks
from ...services.moderation import restrictions as restriction_service
from ...web.api.locking import lock_item
from ...web.api.request import ForumRequest
from ..flash_messages import flash_message, with_message
from ..form_keys import form_key, once
from ..forms import Values, form, process_form
from ..lines import Moment
from ..page import page
from ..page_tree import moderated_user_page
from ..paging import cursor_links, numbered_or_cursor, page_request
from ..paths import see_other, user_path

_ACTIONS = {"silence": SILENCE_FORM, "unsilence": REASON_FORM, "warn": WARNING_FORM}
_PERMISSIONS = {"silence": May.SILENCE, "unsilence": May.UNSILENCE, "warn": May.WARN}


@page(
    "moderated_user",
    "/moderation/users/{login}",
    moderated_user_page,
    May.VIEW_NOTES,
    "member",
    schema=numbered_or_cursor,
)
def show_member(item: UserItem, request: ForumRequest) -> Values:
    """Return the values of the page."""
    return form(**_others(item, request))


def submit_member(item: UserItem, request: ForumRequest) -> Response | Values:
    """Silence, unsilence or warn, or show what is wrong."""
    name = request.matchdict["action"]

    @once
    def save(request: ForumRequest, values: Mapping[str, Any], _: None) -> str:
        locked = lock_item(item, request, _PERMISSIONS[name], whole_row=True)
        _act(name, locked, request, values)
        return request.route_path("moderated_user", login=item.row.user_login)

    def act(values: Values) -> Response:
        return with_message(request, "restricted", see_other(save(request, values, None)))

    request.validated = {"page": 1}
    schema = _ACTIONS[name]
    return process_form(request, schema, act, **{**_others(item, request), "failed": name})


for _name, _permission in _PERMISSIONS.items():
    page(
        "moderated_user_action",
        f"/moderation/users/{{login}}/{{action:{'|'.join(_ACTIONS)}}}",
        moderated_user_page,
        _permission,
        "member",
        method="POST",
        match_param=f"action={_name}",
    )(submit_member)


def _act(name: str, item: UserItem, request: ForumRequest, values: Mapping[str, Any]) -> None:
    db, actor_id, now, row = request.db, request.actor_id, request.now, item.row
    if name == "silence":
        restriction_service.silence_by_form(db, actor_id, now, row, values)
    elif name == "warn":
        texts = {"reason": values["reason"], "note": values["note"]}
        restriction_service.warn(db, actor_id, now, row, **texts)
    else:
        restriction_service.end_silence(db, actor_id, now, row, reason=values["reason"])


def _others(item: UserItem, request: ForumRequest) -> dict[str, Any]:
    row = item.row
    page = page_request(request)
    result, cursors = restrictions.of_user(request.db, row.user_id, page, with_notes=True)
    may = abilities(request.caller, item, _PERMISSIONS.values())
    is_silenced = state_at(row.state, row.blocked_until, request.now) == UserState.BLOCKED
    # Also of a form with an error, whose own path has no page.
    path = request.route_path("moderated_user", login=row.user_login)
    return {
        "user": row,
        "path": user_path(request, row.user_login),
        "is_silenced": is_silenced,
        "until": Moment.of(request, row.blocked_until) if row.blocked_until else None,
        "closes_at": Moment.of(request, row.closes_at) if row.closes_at else None,
        "restrictions": [(item, Moment.of(request, item.started_at)) for item in result],
        "may": may,
        "same_network": _same_network(item, request),
        "failed": "",
        "flash_message": flash_message(request),
        "form_key": form_key(request),
        **cursor_links(request, cursors, path=path),
    }


def _same_network(item: UserItem, request: ForumRequest) -> int | None:
    """Return how many others wrote from the same networks; None where none are kept."""
    if request.settings["moderation.keep_addresses_days"] is None:
        return None
    return post_networks.count_others(request.db, item.row.user_id)
