"""Logging in and out, and the browsers in which one is logged in."""

from typing import Any

from pyramid.renderers import render_to_response
from pyramid.response import Response
from pyramid.view import exception_view_config

from ...permissions import AccountPermission as May
from ...permissions import Common
from ...schemas.accounts import LOGIN_FORM
from ...services.accounts import accounts, closures
from ...sessions import browser_sessions
from ...sessions.password_login import proof_of
from ...text.ids import parse_id
from ...text.messages import Message
from ...web.api.request import ForumRequest
from ...web.reauthentication import attempt_login
from .. import kept_text
from ..flash_messages import flash_message, redirect_with_message
from ..forms import WHOLE_FORM, Values, form, process_form
from ..lines import Moment
from ..page import page, page_form
from ..page_context import LoginRequired, PageContext, login_required, public_page
from ..paths import next_of_form, redirect_to_next, redirect_to_page

_MISMATCH = Message("Login and password do not match.")
_LOGGED_IN = Message("You are logged in again. Look at your text, and send it.")


@page("login", "/login", public_page, Common.VIEW, "login", needs=None)
def show_login(context: PageContext, request: ForumRequest) -> Response | Values:
    """Show the form, or redirect a user who is already logged in."""
    if context.user is not None:
        return redirect_to_next(request)
    return _form(request, flash_message=flash_message(request))


@page_form(show_login)
def submit_login(context: PageContext, request: ForumRequest) -> Response | Values:
    def log_in(values: Values) -> Response | Values:
        attempt = attempt_login(request, values["username"], values["password"])
        if attempt.user is None:
            return _show_wrong_password(request, values["username"])
        if not context.log_in(proof_of(attempt, values["password"], request.now)):
            return _show_wrong_password(request, values["username"])
        stays = closures.take_back(request.db, request.now, attempt.user.id)
        draft = kept_text.carried(request)
        if draft is None and stays and request.settings["pages.forum"]:
            return redirect_with_message(request, "closure-taken-back", "own_data")
        if draft is None:
            return redirect_to_next(request)
        values = {"kept": draft, "why": _LOGGED_IN}
        return render_to_response("forumsvc.pages:templates/resume.jinja2", values, request)

    return process_form(request, LOGIN_FORM, log_in, **_others(request))


@page("logout", "/logout", login_required, May.MANAGE, method="POST", needs=None)
def log_out(context: PageContext, request: ForumRequest) -> Response:
    context.log_out()
    return redirect_with_message(request, "logged-out", "login")


@page(
    "logout_everywhere", "/logout/everywhere", login_required, May.MANAGE, method="POST", needs=None
)
def log_out_everywhere(context: PageContext, request: ForumRequest) -> Response:
    """End all sessions and tokens of the user, in this browser and everywhere else."""
    accounts.log_out_everywhere(request.db, request.actor_id)
    context.log_out()
    return redirect_with_message(request, "logged-out-everywhere", "login")


@exception_view_config(LoginRequired)
def redirect_to_login(error: LoginRequired, request: ForumRequest) -> Response:
    """Redirect to the login page, which then redirects to the requested page.

    Who wrote a text gets the form at once, with the text in it. Not for a form of another site: its
    request comes without the cookie, and this answer would replace it, and so end the login.
    """
    draft = kept_text.written(request)
    is_foreign = request.headers.get("Sec-Fetch-Site") in ("cross-site", "same-site")
    if draft is None or is_foreign:
        return redirect_to_page(request, "login", next=error.next)
    values = form(next=None, flash_message=None, kept=kept_text.hidden_fields(draft))
    return render_to_response("templates/login.jinja2", values, request)


def _show_wrong_password(request: ForumRequest, username: str) -> Values:
    request.response.status_int = 400
    values = {"username": username}
    return _form(request, form_values=values, errors={WHOLE_FORM: _MISMATCH})


def _form(request: ForumRequest, **values: Any) -> Values:
    return form(**{**_others(request), **values})


def _others(request: ForumRequest) -> Values:
    draft = kept_text.carried(request)
    hidden = {} if draft is None else kept_text.hidden_fields(draft)
    return {"next": next_of_form(request), "flash_message": None, "kept": hidden}


@page("sessions", "/settings/sessions", login_required, May.MANAGE, "sessions")
def show_sessions(context: PageContext, request: ForumRequest) -> Values:
    result = browser_sessions.of_user(request.read_connection, request.actor_id, request.now)
    session_id = browser_sessions.id_of(request.read_connection, context.session_secret)
    lines = [(item, Moment.of(request, item.created_at), item.id == session_id) for item in result]
    return form(sessions=lines, flash_message=flash_message(request))


@page_form(show_sessions)
def end_session(context: PageContext, request: ForumRequest) -> Response:
    """End the session that the form names; without one of this user nothing happens."""
    value: Any = request.parameters.get("session_id")
    session_id = parse_id(value) if isinstance(value, str) else None
    if session_id is not None:
        browser_sessions.end(request.db, request.actor_id, session_id)
    return redirect_with_message(request, "logged-out-there", "sessions")
