"""Logging in and out, and the browsers in which one is logged in."""

from typing import Any, NamedTuple

from pyramid.renderers import render_to_response
from pyramid.response import Response
from pyramid.view import exception_view_config

from ...permissions import AccountPermission as May
from ...permissions import Common
from ...schemas.accounts import LOGIN_FORM
from ...services.accounts import accounts
from ...sessions import browser_sessions
from ...sessions.password_login import proof_of
from ...text.ids import parse_id
from ...text.messages import Message
from ...web.api.request import ForumRequest, caller_of
from ...web.reauthentication import attempt_login
from .. import kept_text
from ..drafts import keep_after_login
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
        draft = kept_text.carried(request)
        stays = context.has_taken_back_closure and request.settings["pages.forum"]
        if draft is None and stays:
            return redirect_with_message(request, "closure-taken-back", "own_data")
        if draft is None:
            return redirect_to_next(request)
        user = browser_sessions.find_user(request.executor, attempt.user.login)
        keep_after_login(request, caller_of(user, request), draft)
        values = {"kept": draft, "why": _LOGGED_IN}
        return render_to_response("forumsvc.pages:templates/resume.jinja2", values, request)

    return process_form(request, LOGIN_FORM, log_in, **_others(request))


@page("logout", "/logout", login_required, May.MANAGE, method="POST", needs=None)
def log_out(context: PageContext, request: ForumRequest) -> Response:
    context.log_out()
    return redirect_with_message(request, "logged-out", "login")


@page(
    "logout_everywhere",
    "/logout/everywhere",
    login_required,
    May.MANAGE,
    "logout_everywhere",
    needs=None,
)
def ask_to_log_out_everywhere(context: PageContext, request: ForumRequest) -> Values:
    return {}


@page_form(ask_to_log_out_everywhere)
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


class SessionLine(NamedTuple):
    """A session. row: of `browser_sessions.of_user`; is_here: whether it is this browser's."""

    row: Any
    begun: Moment
    last_used: Moment | None
    is_here: bool


@page("sessions", "/settings/sessions", login_required, May.MANAGE, "sessions")
def show_sessions(context: PageContext, request: ForumRequest) -> Values:
    context.csp_directives["script-src"] = "'self'"  # times are those of the reader's zone
    result = browser_sessions.of_user(request.read_connection, request.actor_id, request.now)
    session_id = browser_sessions.id_of(request.read_connection, context.session_secret)
    lines = [_session_line(request, item, item.id == session_id) for item in result]
    return form(sessions=lines, flash_message=flash_message(request))


def _session_line(request: ForumRequest, row: Any, is_here: bool) -> SessionLine:
    used = row.last_used_at
    last_used = None if used is None else Moment.of(request, used)
    return SessionLine(row, Moment.of(request, row.created_at), last_used, is_here)


@page_form(show_sessions)
def end_session(context: PageContext, request: ForumRequest) -> Response:
    """End the session that the form names; without one of this user nothing happens."""
    value: Any = request.parameters.get("session_id")
    session_id = parse_id(value) if isinstance(value, str) else None
    if session_id is not None:
        browser_sessions.end(request.db, request.actor_id, session_id)
    return redirect_with_message(request, "logged-out-there", "sessions")
