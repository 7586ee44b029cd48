"""/settings/forum/roles: the form that gives a member another role."""

from contextlib import suppress

from pyramid.response import Response

from ...errors import Conflict, Invalid
from ...models import Role
from ...permissions import NodePermission
from ...permissions import UserPermission as May
from ...queries import users
from ...resources.nodes import Nodes
from ...resources.users import UserItem
from ...schemas.fields import Line, required
from ...schemas.users import ROLE_FORM
from ...security.policy import decide
from ...services.accounts import accounts
from ...text.messages import Message
from ...web.api.request import ForumRequest
from ..flash_messages import flash_message, redirect_with_message
from ..forms import WHOLE_FORM, Values, form, process_form
from ..page import page, page_form
from ..page_tree import administration_page
from ..paths import next_of_form, redirect_to_page

_MAX_LOGIN = 20
_FORM = ROLE_FORM.clone()
_FORM.insert(0, required("login", Line(1, _MAX_LOGIN)))


@page("roles", "/settings/forum/roles", administration_page, NodePermission.MANAGE, "roles")
def show(context: Nodes, request: ForumRequest) -> Values:
    """Return the form. `login` in the query names a member, whose present role is chosen."""
    login = str(request.parameters.get("login") or "")
    values = {"login": login}
    if login:
        with suppress(Invalid):
            values["role"] = _user(context, request, login).row.role
    return form(form_values=values, **_values(request))


@page_form(show)
def submit(context: Nodes, request: ForumRequest) -> Response | Values:
    def give(values: Values) -> Response:
        login = _user(context, request, values["login"]).row.user_login
        role = Role(values["role"])
        try:
            changed = accounts.set_role(request.db, request.actor_id, request.now, login, role)
        except Conflict as error:
            raise Invalid(WHOLE_FORM, error.args[0]) from None
        if changed.id == request.actor_id and role is not Role.ADMIN:
            return redirect_to_page(request, "home")
        next_path = next_of_form(request)
        return redirect_with_message(request, "role-saved", "roles", login=login, next=next_path)

    return process_form(request, _FORM, give, **_values(request))


def _user(context: Nodes, request: ForumRequest, login: str) -> UserItem:
    """Return the member with a login. Raises Invalid for one who can have no other role."""
    try:
        item = context.root["users"][login]
    except KeyError:
        item = None
    # The API's path takes an id and `me`, too; who mistypes a login must not promote a stranger.
    if (
        not isinstance(item, UserItem)
        or item.row.user_login.lower() != login.lower()
        or not decide(request.caller, item, May.SET_ROLE)
    ):
        raise Invalid("login", Message("must be the login of a member"))
    return item


def _values(request: ForumRequest) -> Values:
    names = request.site.level_names
    return {
        "roles": {str(role): names[role] for role in Role},
        "logins": users.newest_logins(request.db),
        "flash_message": flash_message(request),
        "next": next_of_form(request),
    }
