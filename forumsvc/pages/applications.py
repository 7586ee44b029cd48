"""My applications: what I allowed to whom, and those that I run myself."""

from typing import Any

from pyramid.config import Configurator
from pyramid.response import Response

from ..errors import Forbidden, Invalid, NotFound
from ..oauth import authorizations, clients
from ..permissions import AccountPermission as May
from ..schemas.accounts import client_form
from ..web.api.request import ForumRequest
from .flash_messages import flash_message
from .forms import process_form
from .page_context import PageContext, login_required
from .paths import redirect_to_page
from .templating import render_page

MAX_APPLICATIONS = 50
"""Applications that one person may register."""

_DEFAULT_GRANTS = {"authorization_code": "1", "refresh_token": "1"}


def show(context: PageContext, request: ForumRequest) -> Response:
    """List them."""
    return render_page(
        context,
        "applications.html",
        flash_message=flash_message(request),
        sent=_DEFAULT_GRANTS,
        **_lists(request),
    )


def revoke(context: PageContext, request: ForumRequest) -> Response:
    """Take back what an application was allowed."""
    named = request.matchdict["client_id"]
    if not authorizations.revoke(request.db, request.actor_id, named, request.now):
        raise NotFound("There is no such application.")
    return redirect_to_page(request, "applications", flash_message="revoked")


def register(context: PageContext, request: ForumRequest) -> Response:
    """Register an application, and show its secret this once."""
    _check_registration_open(request)

    def create(sent: dict[str, Any]) -> Response:
        if (
            len(clients.list_clients(request.read_connection, owner_id=request.actor_id))
            >= MAX_APPLICATIONS
        ):
            raise Invalid("name", f"is one too many: you have {MAX_APPLICATIONS} applications")
        made = _create(request, sent)
        return render_page(
            context,
            "application_registered.html",
            client_name=sent["name"],
            made=made,
            rotated=False,
        )

    return process_form(
        context, client_form(), create, "applications.html", flash_message=None, **_lists(request)
    )


def rotate(context: PageContext, request: ForumRequest) -> Response:
    """Give an application another secret, and show it this once."""
    client = _own_client(request)
    secret = clients.rotate_secret(request.db, client.client_id)
    made = clients.NewClient(client.client_id, secret)
    return render_page(
        context, "application_registered.html", client_name=client.name, made=made, rotated=True
    )


def delete(context: PageContext, request: ForumRequest) -> Response:
    """Remove an application."""
    clients.delete(request.db, _own_client(request).client_id)
    return redirect_to_page(request, "applications", flash_message="deleted")


def _lists(request: ForumRequest) -> dict[str, Any]:
    mine: list[clients.Client] | None = None
    if request.settings["oauth.user_registered_clients"]:
        mine = clients.list_clients(request.read_connection, owner_id=request.actor_id)
    allowed = authorizations.list_authorizations(
        request.read_connection, request.actor_id, request.now
    )
    return {"allowed": allowed, "mine": mine}


def _check_registration_open(request: ForumRequest) -> None:
    if not request.settings["oauth.user_registered_clients"]:
        raise Forbidden("Applications are registered by an administrator here.")


def _create(request: ForumRequest, sent: dict[str, Any]) -> clients.NewClient:
    try:
        return clients.create(
            request.db,
            sent["name"],
            grants=[grant for grant in clients.MEMBER_GRANTS if sent[grant]],
            redirect_uris=sent["redirect_uris"].split(),
            public=sent["kind"] == "public",
            owner_id=request.actor_id,
        )
    except Invalid as error:
        # The form has them all in one field.
        field = "redirect_uris" if error.field == "redirect_uri" else error.field
        raise Invalid(field, error.reason) from None


def _own_client(request: ForumRequest) -> clients.Client:
    _check_registration_open(request)
    client = clients.find(request.read_connection, request.matchdict["client_id"])
    if client is None or client.owner_id != request.actor_id:
        raise NotFound("There is no such application.")
    return client


def includeme(config: Configurator) -> None:
    """Add the addresses."""
    config.add_route("applications", "/applications", factory=login_required)
    config.add_view(show, route_name="applications", request_method="GET", permission=May.MANAGE)
    config.add_view(
        register,
        route_name="applications",
        request_method="POST",
        permission=May.REGISTER_CLIENTS,
    )
    for view, action, permission in (
        (revoke, "revoke", May.MANAGE),
        (revoke, "withdraw", May.MANAGE),  # the former path of the same form
        (rotate, "rotate", May.REGISTER_CLIENTS),
        (delete, "delete", May.MANAGE),
    ):
        name = f"application_{action}"
        config.add_route(name, f"/applications/{{client_id}}/{action}", factory=login_required)
        config.add_view(view, route_name=name, request_method="POST", permission=permission)
