"""/settings/sessions: the browsers in which one is logged in, and ending the log-in in one."""

from typing import Any

from pyramid.response import Response

from ...ids import parse_id
from ...oauth import sessions
from ...permissions import AccountPermission as May
from ...web.api.request import ForumRequest
from ..flash_messages import flash_message, redirect_with_message
from ..forms import Values, form
from ..lines import Moment
from ..page import page, page_form
from ..page_context import PageContext, login_required


@page("sessions", "/settings/sessions", login_required, May.MANAGE, "sessions")
def show(context: PageContext, request: ForumRequest) -> Values:
    found = sessions.of_user(request.read_connection, request.actor_id, request.now)
    here = sessions.id_of(request.read_connection, context.session_secret)
    lines = [(one, Moment.of(request, one.created_at), one.id == here) for one in found]
    return form(sessions=lines, flash_message=flash_message(request))


@page_form(show)
def end(context: PageContext, request: ForumRequest) -> Response:
    """End the session that the form names; without one of this user nothing happens."""
    given: Any = request.parameters.get("session_id")
    session_id = parse_id(given) if isinstance(given, str) else None
    if session_id is not None:
        sessions.end(request.db, request.actor_id, session_id)
    return redirect_with_message(request, "logged-out-there", "sessions")
