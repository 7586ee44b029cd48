"""Logging in and out."""

from pyramid.config import Configurator
from pyramid.response import Response

from ...oauth import login
from ...permissions import AccountPermission, Common
from ...schemas.accounts import LOGIN_FORM
from ...services import accounts
from ...texts import Message
from ...web.api.request import ForumRequest
from ..flash_messages import flash_message
from ..forms import WHOLE_FORM, Values, form, process_form
from ..page_context import LoginRequired, PageContext, login_required, public_page
from ..paths import redirect_to_page, safe_redirect_path, see_other
from ..views import add_page
from .password_check import check_password_attempt

_MISMATCH = Message("Login and password do not match.")


def show(context: PageContext, request: ForumRequest) -> Response | Values:
    """Show the form, or redirect a user who is already logged in."""
    if context.user is not None:
        return _redirect_to_next(request)
    return form(next=_next(request), flash_message=flash_message(request))


def submit(context: PageContext, request: ForumRequest) -> Response | Values:
    def log_in(values: Values) -> Response | Values:
        attempt = check_password_attempt(request, values["username"], values["password"])
        if attempt.user is None:
            return _show_wrong_password(request, values["username"])
        if not context.log_in(attempt, values["password"]):
            return _show_wrong_password(request, values["username"])
        login.record_success(request.db, attempt, request.now)
        return _redirect_to_next(request)

    return process_form(request, LOGIN_FORM, log_in, next=_next(request), flash_message=None)


def log_out(context: PageContext, request: ForumRequest) -> Response:
    context.log_out()
    return redirect_to_page(request, "login", flash_message="logged-out")


def log_out_everywhere(context: PageContext, request: ForumRequest) -> Response:
    """End all sessions and tokens of the user, in this browser and everywhere else."""
    accounts.log_out_everywhere(request.db, request.actor_id)
    context.log_out()
    return redirect_to_page(request, "login", flash_message="logged-out-everywhere")


def redirect_to_login(error: LoginRequired, request: ForumRequest) -> Response:
    """Redirect to the login page, which then redirects to the requested page."""
    return redirect_to_page(request, "login", next=error.next)


def _show_wrong_password(request: ForumRequest, username: str) -> Values:
    request.response.status_int = 400
    return form(
        form_values={"username": username},
        errors={WHOLE_FORM: _MISMATCH},
        next=_next(request),
        flash_message=None,
    )


def _next(request: ForumRequest) -> str | None:
    return safe_redirect_path(request.parameters.get("next"))


def _redirect_to_next(request: ForumRequest) -> Response:
    home = "home" if request.settings["pages.forum"] else "applications"
    return see_other(_next(request) or request.route_path(home))


def includeme(config: Configurator) -> None:
    may = AccountPermission.MANAGE
    add_page(config, "login", "/login", public_page, Common.VIEW, show, submit, template="login")
    add_page(config, "logout", "/logout", login_required, may, submit=log_out)
    everywhere = ("logout_everywhere", "/logout/everywhere", login_required, may)
    add_page(config, *everywhere, submit=log_out_everywhere)
    config.add_exception_view(redirect_to_login, context=LoginRequired)
