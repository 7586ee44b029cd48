"""Changing one's password."""

from typing import Any

from pyramid.config import Configurator
from pyramid.response import Response

from ..errors import Invalid
from ..oauth import login
from ..permissions import AccountPermission
from ..schemas.accounts import password_form
from ..services import accounts, registration
from ..web.api.request import ForumRequest
from .forms import submitted
from .page_context import Visit, ones_own
from .password_check import try_password
from .paths import to_page
from .templating import page


def show(visit: Visit, request: ForumRequest) -> Response:
    """Show the form."""
    return page(visit, "password.html")


def submit(visit: Visit, request: ForumRequest) -> Response:
    """Change the password, which logs its user out everywhere."""
    person = visit.person
    assert person is not None, "the page is a person's own"  # noqa: S101

    def change(sent: dict[str, Any]) -> Response:
        new = accounts.check_password(sent["new_password"], field="new_password")
        registration.check_strength("new_password", new, (person.login, person.email or ""))
        _prove(request, person.login, sent["current_password"])
        accounts.set_password(request.db, person.login, new)
        visit.log_out()
        return to_page(request, "login", notice="password-changed")

    answer = submitted(visit, password_form(), change, "password.html")
    if answer.status_int == 400:
        # A wrong password was counted, and that must stay; nothing else was written.
        answer.headers["X-Tm"] = "commit"
    return answer


def _prove(request: ForumRequest, username: str, password: str) -> None:
    attempt = try_password(request, username, password)
    if attempt.user is None:
        raise Invalid("current_password", "is wrong")
    login.record_success(request.db, attempt, request.now)


def includeme(config: Configurator) -> None:
    """Add the address."""
    config.add_route("password", "/password", factory=ones_own)
    for view, method in ((show, "GET"), (submit, "POST")):
        config.add_view(
            view,
            route_name="password",
            request_method=method,
            permission=AccountPermission.MANAGE,
        )
