"""/password: changing it, and setting a new one by a link in an email."""

from typing import Any

from pyramid.renderers import render_to_response
from pyramid.response import Response

from ...errors import Forbidden
from ...models import MailKind
from ...permissions import AccountPermission as May
from ...permissions import Common
from ...process.passwords import hash_password
from ...schemas.accounts import FORGOT_PASSWORD_FORM, PASSWORD_FORM, RESET_PASSWORD_FORM
from ...services import mails
from ...services.accounts import (
    accounts,
    email_confirmation,
    invitations,
    password_reset,
    registration,
)
from ...sessions.authentication import Authentication
from ...text.messages import Message
from ...web.api.request import ForumRequest
from ...web.reauthentication import reauthenticate
from ..flash_messages import redirect_with_message, with_message
from ..forms import Values, form, process_form
from ..page import page, page_form
from ..page_context import PageContext, login_required, public_page
from ..paths import redirect_to_next

_INVALID_LINK = Message(
    "This link was used, has expired, or is incomplete. If you have set a password by it, log in "
    "with that; else ask for a new link."
)


@page(
    "forgot_password",
    "/password/forgotten",
    public_page,
    Common.VIEW,
    "forgot_password",
    needs=None,
)
def show_forgotten(context: PageContext, request: ForumRequest) -> Values:
    _check_mail(request)
    return form()


@page_form(show_forgotten)
def submit_forgotten(context: PageContext, request: ForumRequest) -> Response | Values:
    """Send a link to the address of an account; the response does not show if there is one."""
    _check_mail(request)

    def send(values: Values) -> Response:
        limits = request.registry.abuse_limits
        limits.count_mail_request(request)
        email = values["email"].strip()
        if limits.allow_reset_mail_to(email):
            # Whether an account has the address is found out when the email is sent: the response
            # must not show it, not even by the time that it takes.
            url = request.site.base_url + request.route_path("reset_password")
            kind = MailKind.PASSWORD_RESET
            data = {"url": url, "language": request.locale_name}
            mails.enqueue(request.db, kind, email, request.now, data=data)
        sent = {"email": values["email"]}
        return render_to_response("templates/reset_link_sent.jinja2", sent, request)

    return process_form(request, FORGOT_PASSWORD_FORM, send)


@page("reset_password", "/password/reset", public_page, Common.VIEW, "reset_password", needs=None)
def show_reset(context: PageContext, request: ForumRequest) -> Values:
    """Show the form that the link leads to."""
    account = _verified_account(request, request.read_connection)
    return form(**_reset_values(request, account))


@page_form(show_reset)
def submit_reset(context: PageContext, request: ForumRequest) -> Response | Values:
    """Set the password, which logs the user out everywhere."""
    account = _verified_account(request, request.read_connection)

    def change(values: Values) -> Response:
        is_invited = invitations.is_open(request.read_connection, account.login)
        login = (is_invited and values["login"]) or account.login
        field, forbidden_words = "new_password", (login, account.email)
        new = registration.check_new_password(
            request.site_texts.name, field, values[field], *forbidden_words
        )
        password_hash = hash_password(new)
        # Verify it again under a lock: of two concurrent uses only one may succeed.
        _verified_account(request, request.db, lock=True)
        if is_invited:
            invitations.choose_login(request.db, request.now, account, login)
        accounts.set_password_hash(request.db, login, password_hash)
        email_confirmation.confirm_current(request.db, account.id, request.now)
        context.log_out()
        if not is_invited:
            return redirect_with_message(request, "password-changed", "login")
        # The link has shown that the address is theirs, and there is no older session to end.
        proof = Authentication(user_id=account.id, means="invitation", at=request.now)
        context.log_in(proof)
        return with_message(request, "password-chosen", redirect_to_next(request))

    return process_form(
        request,
        RESET_PASSWORD_FORM,
        change,
        **_reset_values(request, account),
    )


def _reset_values(request: ForumRequest, account: password_reset.ResetAccount) -> Values:
    """Return what the form shows. is_first: of somebody who was invited, and has none yet."""
    is_first = invitations.is_open(request.read_connection, account.login)
    return {"reset_token": _reset_token(request), "login": account.login, "is_first": is_first}


def _reset_token(request: ForumRequest) -> object:
    return request.parameters.get("reset_token")


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
    if not request.sends_mail:
        raise Forbidden("This site sends no email. Ask an administrator for a new password.")


@page("change_password", "/password", login_required, May.MANAGE, "change_password", needs=None)
def show_change(context: PageContext, request: ForumRequest) -> Values:
    return form()


@page_form(show_change)
def submit_change(context: PageContext, request: ForumRequest) -> Response | Values:
    """Change the password, which logs the user out everywhere."""
    user = context.user
    assert user is not None, "the page requires a login"  # noqa: S101

    def change(values: Values) -> Response:
        reauthenticate(request, user.login, values["current_password"], "current_password")
        field, forbidden_words = "new_password", (user.login, user.email)
        new = registration.check_new_password(
            request.site_texts.name, field, values[field], *forbidden_words
        )
        password_hash = hash_password(new)
        accounts.set_password_hash(request.db, user.login, password_hash)
        context.log_out()
        return redirect_with_message(request, "password-changed", "login")

    return process_form(request, PASSWORD_FORM, change)
