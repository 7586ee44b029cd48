"""A forgotten password: a link by mail, and what it leads to."""

from typing import Any

from pyramid.config import Configurator
from pyramid.response import Response

from ..errors import Forbidden
from ..permissions import Common
from ..schemas.accounts import forgot_password_form, reset_password_form
from ..services import accounts, password_reset, registration
from ..web.api.request import ForumRequest
from .forms import process_form
from .page_context import PageContext, public_page
from .paths import redirect_to_page, with_query
from .templating import render_page, render_template

_INVALID_LINK = "This link is used up, has expired, or is incomplete. Ask for another one."


def show(context: PageContext, request: ForumRequest) -> Response:
    """Show the form that asks for a link."""
    _check_mail(request)
    return render_page(context, "forgot_password.html", sent={})


def submit(context: PageContext, request: ForumRequest) -> Response:
    """Send a link to the address, if it is anybody's; the answer does not tell."""
    _check_mail(request)

    def mail(sent: dict[str, Any]) -> Response:
        request.registry.abuse_limits.count_mail_request(request)
        account = password_reset.find(request.read_connection, sent["email"])
        if account is not None and request.registry.abuse_limits.allow_mail_to(account.id):
            _send(context, account)
        return render_page(context, "reset_link_sent.html", email=sent["email"])

    return process_form(context, forgot_password_form(), mail, "forgot_password.html")


def show_reset(context: PageContext, request: ForumRequest) -> Response:
    """Show the form that a link leads to."""
    account = _holder(request, request.read_connection)
    ticket = request.parameters.get("ticket")
    return render_page(context, "reset_password.html", ticket=ticket, login=account.login)


def submit_reset(context: PageContext, request: ForumRequest) -> Response:
    """Set the password, which logs its user out everywhere."""
    account = _holder(request, request.read_connection)

    def change(sent: dict[str, Any]) -> Response:
        new = accounts.check_password(sent["new_password"], field="new_password")
        registration.check_strength("new_password", new, (account.login, account.email))
        # Once more and locked: of two uses at once one comes too late.
        _holder(request, request.db, lock=True)
        accounts.set_password(request.db, account.login, new)
        context.log_out()
        return redirect_to_page(request, "login", flash_message="password-changed")

    ticket = request.parameters.get("ticket")
    return process_form(
        context,
        reset_password_form(),
        change,
        "reset_password.html",
        ticket=ticket,
        login=account.login,
    )


def _send(context: PageContext, account: password_reset.ResetAccount) -> None:
    request = context.request
    ticket = password_reset.create_reset_token(
        request.settings["session.secret"], account, request.now
    )
    link = with_query(request.site.base_url + request.route_path("reset_password"), ticket=ticket)
    text = render_template(
        context.request, context, "reset_password_mail.txt", {"login": account.login, "link": link}
    )
    name = request.settings["site.name"]
    request.registry.mail_queue.send(account.email, f"{name}: set a new password", text)


def _holder(request: ForumRequest, db: Any, *, lock: bool = False) -> password_reset.ResetAccount:
    ticket = request.parameters.get("ticket")
    secret = request.settings["session.secret"]
    holder = None
    if isinstance(ticket, str):
        holder = password_reset.verify_reset_token(db, secret, ticket, request.now, lock=lock)
    if holder is None:
        raise Forbidden(_INVALID_LINK)
    return holder


def _check_mail(request: ForumRequest) -> None:
    if not request.registry.mail_queue.is_enabled:
        raise Forbidden("No mail leaves from here; ask an administrator for a new password.")


def includeme(config: Configurator) -> None:
    """Add the addresses."""
    for route, path, shown, submitted_view in (
        ("forgot_password", "/password/forgotten", show, submit),
        ("reset_password", "/password/reset", show_reset, submit_reset),
    ):
        config.add_route(route, path, factory=public_page)
        for view, method in ((shown, "GET"), (submitted_view, "POST")):
            config.add_view(view, route_name=route, request_method=method, permission=Common.VIEW)
