"""/password/forgotten and /password/reset: setting a new password by a link in an email."""

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

_INVALID_LINK = "This link was used, has expired, or is incomplete. Request a new one."


def show(context: PageContext, request: ForumRequest) -> Response:
    _check_mail(request)
    return render_page(context, "forgot_password.html", form_values={})


def submit(context: PageContext, request: ForumRequest) -> Response:
    """Send a link to the address of an account; the response does not show if there is one."""
    _check_mail(request)

    def send(values: dict[str, Any]) -> Response:
        request.registry.abuse_limits.count_mail_request(request)
        account = password_reset.find(request.read_connection, values["email"])
        if account is not None and request.registry.abuse_limits.allow_mail_to(account.id):
            _send(context, account)
        return render_page(context, "reset_link_sent.html", email=values["email"])

    return process_form(context, forgot_password_form(), send, "forgot_password.html")


def show_reset(context: PageContext, request: ForumRequest) -> Response:
    """Show the form that the link leads to."""
    account = _verified_account(request, request.read_connection)
    return render_page(
        context, "reset_password.html", reset_token=_reset_token(request), login=account.login
    )


def submit_reset(context: PageContext, request: ForumRequest) -> Response:
    """Set the password, which logs the user out everywhere."""
    account = _verified_account(request, request.read_connection)

    def change(values: dict[str, Any]) -> Response:
        new = accounts.check_password(values["new_password"], field="new_password")
        registration.check_strength("new_password", new, (account.login, account.email))
        # Verify it again under a lock: of two concurrent uses only one may succeed.
        _verified_account(request, request.db, lock=True)
        accounts.set_password(request.db, account.login, new)
        context.log_out()
        return redirect_to_page(request, "login", flash_message="password-changed")

    return process_form(
        context,
        reset_password_form(),
        change,
        "reset_password.html",
        reset_token=_reset_token(request),
        login=account.login,
    )


def _send(context: PageContext, account: password_reset.ResetAccount) -> None:
    request = context.request
    token = password_reset.create_reset_token(
        request.settings["session.secret"], account, request.now
    )
    url = request.site.base_url + request.route_path("reset_password")
    values = {"login": account.login, "link": with_query(url, reset_token=token)}
    text = render_template(request, context, "reset_password_mail.txt", values)
    name = request.settings["site.name"]
    request.registry.mail_queue.send(account.email, f"{name}: set a new password", text)


def _reset_token(request: ForumRequest) -> object:
    # `ticket` is the former name of the parameter: links that were sent before still work.
    return request.parameters.get("reset_token") or request.parameters.get("ticket")


def _verified_account(
    request: ForumRequest, db: Any, *, lock: bool = False
) -> password_reset.ResetAccount:
    token = _reset_token(request)
    account = None
    if isinstance(token, str):
        secret = request.settings["session.secret"]
        account = password_reset.verify_reset_token(db, secret, token, request.now, lock=lock)
    if account is None:
        raise Forbidden(_INVALID_LINK)
    return account


def _check_mail(request: ForumRequest) -> None:
    if not request.registry.mail_queue.is_enabled:
        raise Forbidden("This site sends no email. Ask an administrator for a new password.")


def includeme(config: Configurator) -> None:
    for route, path, shown, submitted in (
        ("forgot_password", "/password/forgotten", show, submit),
        ("reset_password", "/password/reset", show_reset, submit_reset),
    ):
        config.add_route(route, path, factory=public_page)
        for view, method in ((shown, "GET"), (submitted, "POST")):
            config.add_view(view, route_name=route, request_method=method, permission=Common.VIEW)
