"""Logging in and out."""

from typing import Any

from pyramid.config import Configurator
from pyramid.response import Response

from ..oauth import login
from ..permissions import AccountPermission, Common
from ..schemas.accounts import login_form
from ..services import accounts
from ..web.api.request import ForumRequest
from .flash_messages import flash_message
from .forms import WHOLE_FORM, process_form
from .page_context import LoginRequired, PageContext, login_required, public_page
from .password_check import check_password_attempt
from .paths import redirect_to_page, safe_redirect_path, see_other
from .templating import render_page

_MISMATCH = "Login and password do not match."


def show(context: PageContext, request: ForumRequest) -> Response:
    """Show the form, or go on where somebody is logged in already."""
    if context.user is not None:
        return _redirect_to_next(request)
    return render_page(
        context, "login.html", sent={}, next=_next(request), flash_message=flash_message(request)
    )


def submit(context: PageContext, request: ForumRequest) -> Response:
    """Log in."""

    def check(sent: dict[str, Any]) -> Response:
        attempt = check_password_attempt(request, sent["username"], sent["password"])
        if attempt.user is None:
            return _show_wrong_password(context, sent["username"])
        if not context.log_in(attempt, sent["password"]):
            return _show_wrong_password(context, sent["username"])
        login.record_success(request.db, attempt, request.now)
        return _redirect_to_next(request)

    return process_form(
        context, login_form(), check, "login.html", next=_next(request), flash_message=None
    )


def log_out(context: PageContext, request: ForumRequest) -> Response:
    """Log out."""
    context.log_out()
    return redirect_to_page(request, "login", flash_message="logged-out")


def log_out_everywhere(context: PageContext, request: ForumRequest) -> Response:
    """End all log-ins of this person, in this browser and everywhere else."""
    accounts.log_out_everywhere(request.db, request.actor_id)
    context.log_out()
    return redirect_to_page(request, "login", flash_message="logged-out-everywhere")


def redirect_to_login(error: LoginRequired, request: ForumRequest) -> Response:
    """Send whoever is not logged in to the form, and from there to what was asked for."""
    return redirect_to_page(request, "login", next=error.next)


def _show_wrong_password(context: PageContext, username: str) -> Response:
    sent = {"username": username}
    values = {
        "next": _next(context.request),
        "flash_message": None,
        "errors": {WHOLE_FORM: _MISMATCH},
    }
    again = render_page(context, "login.html", sent=sent, **values)
    again.status_int = 400
    # The failure was counted, and that must stay.
    again.headers["X-Tm"] = "commit"
    return again


def _next(request: ForumRequest) -> str | None:
    return safe_redirect_path(request.parameters.get("next"))


def _redirect_to_next(request: ForumRequest) -> Response:
    return see_other(_next(request) or request.route_path("applications"))


def includeme(config: Configurator) -> None:
    """Add the addresses."""
    config.add_route("login", "/login", factory=public_page)
    config.add_view(show, route_name="login", request_method="GET", permission=Common.VIEW)
    config.add_view(submit, route_name="login", request_method="POST", permission=Common.VIEW)
    for view, route, path in (
        (log_out, "logout", "/logout"),
        (log_out_everywhere, "logout_everywhere", "/logout/everywhere"),
    ):
        config.add_route(route, path, factory=login_required)
        config.add_view(
            view, route_name=route, request_method="POST", permission=AccountPermission.MANAGE
        )
    config.add_exception_view(redirect_to_login, context=LoginRequired)
