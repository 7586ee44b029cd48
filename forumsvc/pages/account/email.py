"""/settings/email: one's own address, and confirming it by a link in an email."""

from typing import Any

from pyramid.response import Response

from ...errors import Conflict, Forbidden
from ...permissions import AccountPermission as May
from ...permissions import Common
from ...schemas.accounts import CONFIRM_EMAIL_FORM, EMAIL_FORM
from ...services.accounts import email_confirmation
from ...text.messages import Message
from ...web import accounts
from ...web.api.request import ForumRequest
from ...web.reauthentication import reauthenticate
from ..flash_messages import flash_message, redirect_with_message, with_message
from ..forms import WHOLE_FORM, Values, form, process_form
from ..page import page, page_form
from ..page_context import PageContext, login_required, public_page
from ..paths import next_of_form, path_to_go_on, redirect_to_next, see_other

_INVALID_LINK = Message(
    "This link was used, has expired, or is incomplete. If you have just used it, your address is "
    "confirmed; else have a new link sent."
)


@page("email", "/settings/email", login_required, May.MANAGE, "email", needs=None)
def show(context: PageContext, request: ForumRequest) -> Values:
    return form(**_present(context, request), flash_message=flash_message(request))


@page_form(show)
def submit(context: PageContext, request: ForumRequest) -> Response | Values:
    """Change the address, or send a link to the new one."""
    user = context.user
    assert user is not None, "the page requires a login"  # noqa: S101

    def change(values: Values) -> Response:
        request.registry.abuse_limits.count_mail_request(request)
        reauthenticate(request, user.login, values["current_password"], "current_password")
        is_sent = accounts.change_address(request, user.user_id, values["email"])
        message = "confirmation-sent" if is_sent else "email-saved"
        return redirect_with_message(request, message, "email")

    others = {**_present(context, request), "flash_message": None}
    return process_form(request, EMAIL_FORM, change, **others)


@page(
    "send_confirmation",
    "/settings/email/confirmation",
    login_required,
    May.MANAGE,
    method="POST",
    needs=None,
)
def send_again(context: PageContext, request: ForumRequest) -> Response:
    accounts.send_again(request)
    return redirect_with_message(request, "confirmation-sent", "email")


@page(
    "confirm_email",
    "/settings/email/confirm",
    public_page,
    Common.VIEW,
    "confirm_email",
    needs=None,
)
def show_confirm(context: PageContext, request: ForumRequest) -> Values:
    """Show the button that the link leads to: programs that check emails open links, too."""
    return form(**_of_link(request))


@page_form(show_confirm)
def submit_confirm(context: PageContext, request: ForumRequest) -> Response | Values:
    """Confirm the address."""

    def confirm(values: Values) -> Response:
        # Locked: of two concurrent uses only one may succeed.
        waiting = _verified(request, request.db, lock=True)
        email_confirmation.confirm(request.db, waiting, request.now)
        if context.user is None:
            go_on = path_to_go_on(request)
            return redirect_with_message(request, "email-confirmed", "login", next=go_on)
        if context.is_unconfirmed and request.settings["pages.forum"]:
            go_on = path_to_go_on(request) or request.route_path("topic_new")
            return with_message(request, "email-confirmed-write", see_other(go_on))
        if path_to_go_on(request):
            return redirect_to_next(request)
        return redirect_with_message(request, "email-confirmed", "email")

    others = _of_link(request)
    try:
        return process_form(request, CONFIRM_EMAIL_FORM, confirm, **others)
    except Conflict as error:
        request.response.status_int = 409
        return form(errors={WHOLE_FORM: error.args[0]}, **others)


def _present(context: PageContext, request: ForumRequest) -> Values:
    user: Any = context.user
    waiting = email_confirmation.find(request.read_connection, user.user_id)
    return {"email": user.email, "waiting": waiting, "sends_mail": request.sends_mail}


def _of_link(request: ForumRequest) -> Values:
    waiting = _verified(request, request.read_connection)
    go_on = next_of_form(request)
    return {"confirmation_token": _token(request), "waiting": waiting, "next": go_on}


def _token(request: ForumRequest) -> object:
    return request.parameters.get("confirmation_token")


def _verified(
    request: ForumRequest, db: Any, *, lock: bool = False
) -> email_confirmation.WaitingAddress:
    token = _token(request)
    waiting = None
    if isinstance(token, str):
        secret = request.settings["session.secret"]
        waiting = email_confirmation.verify_token(db, secret, token, request.now, lock=lock)
    if waiting is None:
        raise Forbidden(_INVALID_LINK)
    return waiting
