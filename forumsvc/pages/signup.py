"""/signup: creating an account, if registration is open."""

from typing import Any

from pyramid.config import Configurator
from pyramid.response import Response

from ..permissions import Common
from ..schemas.accounts import registration_form
from ..services import registration
from ..web.api.request import ForumRequest
from .forms import process_form
from .page_context import PageContext, public_page
from .paths import redirect_to_page, safe_redirect_path
from .templating import render_page


def show(context: PageContext, request: ForumRequest) -> Response:
    registration.check_open(request.settings)
    return render_page(context, "signup.html", form_values={}, next=_next(request))


def submit(context: PageContext, request: ForumRequest) -> Response:
    registration.check_open(request.settings)

    def create_account(values: dict[str, Any]) -> Response:
        request.registry.abuse_limits.count_registration(request)
        registration.register(request.db, request.read_connection, **values)
        return redirect_to_page(request, "login", flash_message="registered", next=_next(request))

    schema = registration_form(request.settings)
    return process_form(context, schema, create_account, "signup.html", next=_next(request))


def _next(request: ForumRequest) -> str | None:
    return safe_redirect_path(request.parameters.get("next"))


def includeme(config: Configurator) -> None:
    config.add_route("signup", "/signup", factory=public_page)
    config.add_view(show, route_name="signup", request_method="GET", permission=Common.VIEW)
    config.add_view(submit, route_name="signup", request_method="POST", permission=Common.VIEW)
