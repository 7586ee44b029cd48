"""Logging in and out."""

from typing import Any

from pyramid.config import Configurator
from pyramid.response import Response

from ..oauth import login
from ..permissions import AccountPermission, Common
from ..schemas.accounts import login_form
from ..services import accounts
from ..web.api.request import ForumRequest
from .flash_messages import notice
from .forms import FORM, submitted
from .page_context import LoginNeeded, Visit, anybodys, ones_own
from .password_check import try_password
from .paths import own_path, see_other, to_page
from .templating import page

_WRONG = "Login and password do not match."


def show(visit: Visit, request: ForumRequest) -> Response:
    """Show the form, or go on where somebody is logged in already."""
    if visit.person is not None:
        return _go_on(request)
    return page(visit, "login.html", sent={}, next=_next(request), notice=notice(request))


def submit(visit: Visit, request: ForumRequest) -> Response:
    """Log in."""

    def check(sent: dict[str, Any]) -> Response:
        attempt = try_password(request, sent["username"], sent["password"])
        if attempt.user is None:
            return _refused(visit, sent["username"])
        if not visit.log_in(attempt, sent["password"]):
            return _refused(visit, sent["username"])
        login.record_success(request.db, attempt, request.now)
        return _go_on(request)

    return submitted(visit, login_form(), check, "login.html", next=_next(request), notice=None)


def log_out(visit: Visit, request: ForumRequest) -> Response:
    """Log out."""
    visit.log_out()
    return to_page(request, "login", notice="logged-out")


def log_out_everywhere(visit: Visit, request: ForumRequest) -> Response:
    """End all log-ins of this person, in this browser and everywhere else."""
    accounts.log_out_everywhere(request.db, request.actor_id)
    visit.log_out()
    return to_page(request, "login", notice="logged-out-everywhere")


def to_login(error: LoginNeeded, request: ForumRequest) -> Response:
    """Send whoever is not logged in to the form, and from there to what was asked for."""
    return to_page(request, "login", next=error.next)


def _refused(visit: Visit, username: str) -> Response:
    sent = {"username": username}
    values = {"next": _next(visit.request), "notice": None, "errors": {FORM: _WRONG}}
    again = page(visit, "login.html", sent=sent, **values)
    again.status_int = 400
    # The failure was counted, and that must stay.
    again.headers["X-Tm"] = "commit"
    return again


def _next(request: ForumRequest) -> str | None:
    return own_path(request.parameters.get("next"))


def _go_on(request: ForumRequest) -> Response:
    return see_other(_next(request) or request.route_path("applications"))


def includeme(config: Configurator) -> None:
    """Add the addresses."""
    config.add_route("login", "/login", factory=anybodys)
    config.add_view(show, route_name="login", request_method="GET", permission=Common.VIEW)
    config.add_view(submit, route_name="login", request_method="POST", permission=Common.VIEW)
    for view, route, path in (
        (log_out, "logout", "/logout"),
        (log_out_everywhere, "logout_everywhere", "/logout/everywhere"),
    ):
        config.add_route(route, path, factory=ones_own)
        config.add_view(
            view, route_name=route, request_method="POST", permission=AccountPermission.MANAGE
        )
    config.add_exception_view(to_login, context=LoginNeeded)
