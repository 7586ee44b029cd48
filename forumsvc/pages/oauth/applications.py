"""/applications: those that the user authorized, and those that the user registered."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from pyramid.renderers import render_to_response
from pyramid.response import Response

from ...errors import Forbidden, Invalid, NotFound
from ...models import User
from ...oauth import authorizations, clients
from ...permissions import AccountPermission as May
from ...queries.user_locks import lock_users
from ...schemas.accounts import CLIENT_FORM
from ...services.accounts.login_names import check_application_name
from ...text.messages import Message
from ...web.api.request import ForumRequest
from ..flash_messages import flash_message, redirect_with_message
from ..form_keys import form_key, once
from ..forms import WHOLE_FORM, Values, form, process_form
from ..page import page, page_form
from ..page_context import PageContext, login_required

MAX_APPLICATIONS = 50
"""How many applications a user may register."""

_DEFAULT_GRANTS = {"authorization_code": "1", "refresh_token": "1"}
_button = partial(page, factory=login_required, method="POST", needs=None)


@page("applications", "/applications", login_required, May.MANAGE, "applications", needs=None)
def show(context: PageContext, request: ForumRequest) -> Values:
    return form(
        form_values=_DEFAULT_GRANTS, flash_message=flash_message(request), **_lists(request)
    )


@_button("application_revoke", "/applications/{client_id}/revoke", permission=May.MANAGE)
def revoke(context: PageContext, request: ForumRequest) -> Response:
    """Revoke an application's access to the user's account."""
    client_id = request.matchdict["client_id"]
    if not authorizations.revoke(request.db, request.actor_id, client_id, request.now):
        raise NotFound("There is no such application.")
    return redirect_with_message(request, "revoked", "applications")


@page_form(show, permission=May.REGISTER_CLIENTS)
def register(context: PageContext, request: ForumRequest) -> Response | Values:
    """Register an application, and show its secret once."""
    _check_registration_open(request)

    made: list[clients.NewClient] = []

    @once
    def create(request: ForumRequest, values: Mapping[str, Any], _: None) -> str:
        # Of two at once the second waits here, and counts the first one's.
        lock_users(request.db, User.id == request.actor_id)
        registered = clients.list_clients(request.db, owner_id=request.actor_id)
        if len(registered) >= MAX_APPLICATIONS:
            have = Message(
                "You have %(most)d applications, which is the most. Delete one first.",
                most=MAX_APPLICATIONS,
            )
            raise Invalid(WHOLE_FORM, have)
        made.append(_create(request, values))
        return made[0].client_id

    def save(values: Values) -> Response:
        create(request, values, None)
        if not made:
            return redirect_with_message(request, "registered-already", "applications")
        return _show_credentials(request, values["name"], made[0], rotated=False)

    return process_form(request, CLIENT_FORM, save, flash_message=None, **_lists(request))


@_button("application_rotate", "/applications/{client_id}/rotate", permission=May.REGISTER_CLIENTS)
def rotate(context: PageContext, request: ForumRequest) -> Response:
    """Replace an application's secret, and show the new one once."""
    _check_registration_open(request)
    client = _own_client(request)
    secret = clients.rotate_secret(request.db, client.client_id)
    credentials = clients.NewClient(client.client_id, secret)
    return _show_credentials(request, client.name, credentials, rotated=True)


@_button("application_delete", "/applications/{client_id}/delete", permission=May.MANAGE)
def delete(context: PageContext, request: ForumRequest) -> Response:
    clients.delete(request.db, _own_client(request).client_id)
    return redirect_with_message(request, "deleted", "applications")


def _show_credentials(
    request: ForumRequest, client_name: str, credentials: clients.NewClient, *, rotated: bool
) -> Response:
    values = {"client_name": client_name, "credentials": credentials, "rotated": rotated}
    return render_to_response("templates/application_registered.jinja2", values, request)


def _lists(request: ForumRequest) -> dict[str, Any]:
    own_clients: list[clients.Client] | None = None
    if request.settings["oauth.user_registered_clients"]:
        own_clients = clients.list_clients(request.read_connection, owner_id=request.actor_id)
    authorized = authorizations.list_authorizations(
        request.read_connection, request.actor_id, request.now
    )
    key = form_key(request)
    return {"authorizations": authorized, "own_clients": own_clients, "form_key": key}


def _check_registration_open(request: ForumRequest) -> None:
    if not request.settings["oauth.user_registered_clients"]:
        raise Forbidden("Only an administrator can register applications here.")


def _create(request: ForumRequest, values: Mapping[str, Any]) -> clients.NewClient:
    try:
        return clients.create(
            request.db,
            check_application_name(values["name"], request.site_texts.name),
            grants=[grant for grant in clients.MEMBER_GRANTS if values[grant]],
            redirect_uris=values["redirect_uris"].split(),
            public=values["kind"] == "public",
            owner_id=request.actor_id,
        )
    except Invalid as error:
        # The form has one field for all redirect URIs.
        field = "redirect_uris" if error.field == "redirect_uri" else error.field
        raise Invalid(field, error.reason) from None


def _own_client(request: ForumRequest) -> clients.Client:
    client = clients.find(request.read_connection, request.matchdict["client_id"])
    if client is None or client.owner_id != request.actor_id:
        raise NotFound("There is no such application.")
    return client
