"""/settings/display: the language, the theme and the lists that a reader wants, in this browser."""

from pyramid.response import Response

from ...permissions import Common
from ...web.api.request import ForumRequest
from ...web.pipeline.session_cookie import set_cookie
from ..display import CHOICES, COOKIE, LONGEST_SECONDS, Display, display_of
from ..flash_messages import flash_message, redirect_with_message
from ..forms import Values
from ..page import page, page_form
from ..page_context import PageContext, public_page


@page("display", "/settings/display", public_page, Common.VIEW, "display")
def show(context: PageContext, request: ForumRequest) -> Values:
    chosen = display_of(request)._asdict()
    return {"choices": CHOICES, "chosen": chosen, "flash_message": flash_message(request)}


@page_form(show)
def submit(context: PageContext, request: ForumRequest) -> Response:
    """Keep the choices; what is no choice is left to the browser."""
    given = {name: request.parameters.get(name) for name in CHOICES}
    kept = {name: str(value) for name, value in given.items() if value in CHOICES[name]}
    response = redirect_with_message(request, "display-saved", "display")
    set_cookie(request, response, COOKIE, Display(**kept).to_cookie(), LONGEST_SECONDS)
    return response
