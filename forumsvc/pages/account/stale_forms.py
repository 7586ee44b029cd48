"""Forms of visitors that were shown to another cookie: from before a log-in in another tab, or to a
browser that keeps no cookies. They are shown again, with what was typed.
"""

from typing import Any

from pyramid.exceptions import BadCSRFToken
from pyramid.renderers import render_to_response
from pyramid.response import Response
from pyramid.view import exception_view_config

from ...errors import ForumError
from ...text.messages import Message
from ...web.api.request import ForumRequest
from ..forms import WHOLE_FORM
from ..paths import redirect_to_next
from . import login, password, signup

_FORMS: dict[str, Any] = {
    "login": login.show_login,
    "signup": signup.show,
    "forgot_password": password.show_forgotten,
}
"""The views that show them, by their route."""
_KEPT = ("username", "login", "email")
_OUTDATED = Message("This form was out of date. Look at it, and send it once more.")
_NO_COOKIE = Message("Your browser has sent no cookie. Allow cookies for this site, and try again.")


def show_again(error: BadCSRFToken, request: ForumRequest) -> Response:
    """Show the form with what was typed, but for passwords; lead on who is logged in already.

    Nothing that was sent is done: the form may be that of another site.
    """
    context, route = request.page_context, request.matched_route.name
    if context.user is not None and route != "forgot_password":
        return redirect_to_next(request)
    message = _OUTDATED if context.cookie else _NO_COOKIE
    try:
        values = _FORMS[route](context, request)
    except ForumError as refusal:  # such as of a forum that takes no sign-ups
        return request.invoke_exception_view((type(refusal), refusal, refusal.__traceback__))
    typed = {name: str(request.parameters.get(name) or "") for name in _KEPT}
    values.update(form_values=typed, errors={WHOLE_FORM: message})
    response = render_to_response(f"templates/{route}.jinja2", values, request)
    response.status_int = 403
    return response


for _route in _FORMS:
    exception_view_config(
        BadCSRFToken, route_name=_route, request_method="POST", header="Accept:.*text/html"
    )(show_again)
