"""/settings/forum/invite: accounts for others, who get a link to choose the password."""

from urllib.parse import urlencode

from pyramid.renderers import render_to_response
from pyramid.response import Response

from ...models import Role
from ...permissions import NodePermission
from ...queries.invitations import open_invitations
from ...resources.nodes import Nodes
from ...schemas.accounts import INVITATION_AGAIN_FORM, INVITATION_FORM
from ...services.accounts import invitations
from ...services.accounts.invitees import read_invitees
from ...services.accounts.password_reset import ResetAccount
from ...web.api.request import ForumRequest
from ..flash_messages import flash_message, redirect_with_message
from ..forms import Values, form, process_form
from ..lines import Moment
from ..page import page, page_form
from ..page_tree import administration_page
from ..paths import next_of_form


@page("invite", "/settings/forum/invite", administration_page, NodePermission.MANAGE, "invite")
def show(context: Nodes, request: ForumRequest) -> Values:
    return form(**_values(request))


@page_form(show)
def submit(context: Nodes, request: ForumRequest) -> Response | Values:
    """Make the accounts, and send the links, or show them where the service sends no email.

    With the `login` of an open invitation: make a new link, also for another address.
    """

    def invite(values: Values) -> Response:
        invitees, role = read_invitees(values["people"]), Role(values["role"])
        actor_id, now = request.actor_id, request.now
        accounts = [
            invitations.invite(request.db, actor_id, now, invitee, role) for invitee in invitees
        ]
        return _sent(request, accounts) if request.sends_mail else _shown(request, accounts)

    def invite_again(values: Values) -> Response:
        login, email = values["login"], values["email"]
        account = invitations.invite_again(
            request.db, request.actor_id, request.now, login=login, email=email
        )
        if request.sends_mail and not values["show_link"]:
            return _sent(request, [account])
        return _shown(request, [account])

    if request.parameters.get("login"):
        return process_form(request, INVITATION_AGAIN_FORM, invite_again, **_values(request))
    return process_form(request, INVITATION_FORM, invite, **_values(request))


@page(
    *("invite_withdraw", "/settings/forum/invite/withdraw", administration_page),
    *(NodePermission.MANAGE, "withdraw"),
)
def ask(context: Nodes, request: ForumRequest) -> Values:
    """Ask whether to take an invitation back. login: in the query."""
    return {"login": str(request.parameters.get("login") or "")}


@page_form(ask)
def withdraw(context: Nodes, request: ForumRequest) -> Response:
    """Take an invitation back, such as one that nobody wants."""
    login = str(request.parameters.get("login") or "")
    is_done = invitations.withdraw(request.db, request.actor_id, request.now, login)
    return redirect_with_message(request, "withdrawn" if is_done else "deleted-already", "invite")


def _sent(request: ForumRequest, accounts: list[ResetAccount]) -> Response:
    inviter = request.page_context.user.login
    data = {"url": _url(request), "language": request.locale_name, "inviter": inviter}
    for account in accounts:
        request.registry.abuse_limits.count_mail_to(account.email)
        invitations.send_link(request.db, account, request.now, data)
    message = "invited-to-folder" if _is_to_folder(request) else "invited"
    return redirect_with_message(request, message, "invite", next=next_of_form(request))


def _shown(request: ForumRequest, accounts: list[ResetAccount]) -> Response:
    """Return the page with the links, which no other page shows again."""
    secret, links = request.settings["session.secret"], []
    for account in accounts:
        token = invitations.create_token(secret, account, request.now)
        links.append((account, f"{_url(request)}?{urlencode({'reset_token': token})}"))
    values = {"links": links, "next": next_of_form(request)}
    return render_to_response("templates/invited.jinja2", values, request)


def _is_to_folder(request: ForumRequest) -> bool:
    return bool(request.settings["mail.delivery"] == "folder")


def _url(request: ForumRequest) -> str:
    return request.site.base_url + request.route_path("reset_password")


def _values(request: ForumRequest) -> Values:
    """Return what the form shows beside its fields: also who has been invited, and until when."""
    waiting = open_invitations(request.executor, request.now - invitations.TTL)
    names = request.site.level_names
    return {
        "sends_mail": request.sends_mail,
        "flash_message": flash_message(request),
        "roles": {str(role): names[role] for role in Role},
        "next": next_of_form(request),
        "waiting": [(row, Moment.of(request, row.invited_at + invitations.TTL)) for row in waiting],
    }
