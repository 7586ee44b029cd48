"""Signing up, where that is open."""

from typing import Any

from pyramid.config import Configurator
from pyramid.response import Response

from ..permissions import Common
from ..schemas.accounts import registration_form
from ..services import registration
from ..web.api.request import ForumRequest
from .forms import submitted
from .page_context import Visit, anybodys
from .paths import own_path, to_page
from .templating import page


def show(visit: Visit, request: ForumRequest) -> Response:
    """Show the form."""
    registration.check_open(request.settings)
    return page(visit, "signup.html", sent={}, next=_next(request))


def submit(visit: Visit, request: ForumRequest) -> Response:
    """Open an account."""
    registration.check_open(request.settings)

    def open_account(sent: dict[str, Any]) -> Response:
        request.registry.abuse_limits.count_registration(request)
        registration.register(request.db, request.read_connection, **sent)
        return to_page(request, "login", notice="registered", next=_next(request))

    schema = registration_form(request.settings)
    return submitted(visit, schema, open_account, "signup.html", next=_next(request))


def _next(request: ForumRequest) -> str | None:
    return own_path(request.parameters.get("next"))


def includeme(config: Configurator) -> None:
    """Add the address."""
    config.add_route("signup", "/signup", factory=anybodys)
    config.add_view(show, route_name="signup", request_method="GET", permission=Common.VIEW)
    config.add_view(submit, route_name="signup", request_method="POST", permission=Common.VIEW)
