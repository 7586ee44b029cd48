"""/password: a logged-in user changes their password."""

from pyramid.config import Configurator
from pyramid.response import Response

from ...errors import Invalid
from ...oauth import login
from ...permissions import AccountPermission
from ...schemas.accounts import password_form
from ...services import accounts, registration
from ...web.api.request import ForumRequest
from ..forms import Values, add_form_page, form, process_form
from ..page_context import PageContext, login_required
from ..paths import redirect_to_page
from .password_check import check_password_attempt


def show(context: PageContext, request: ForumRequest) -> Values:
    return form()


def submit(context: PageContext, request: ForumRequest) -> Response | Values:
    """Change the password, which logs the user out everywhere."""
    user = context.user
    assert user is not None, "the page requires a login"  # noqa: S101

    def change(values: Values) -> Response:
        _check_current_password(request, user.login, values["current_password"])
        field, of = "new_password", (user.login, user.email)
        new = registration.check_new_password(request.settings, field, values[field], *of)
        accounts.set_password(request.db, user.login, new)
        context.log_out()
        return redirect_to_page(request, "login", flash_message="password-changed")

    result = process_form(request, password_form(), change)
    if request.response.status_int == 400:
        # Commit the count of the password, right or wrong; nothing else was written.
        request.response.headers["X-Tm"] = "commit"
    return result


def _check_current_password(request: ForumRequest, username: str, password: str) -> None:
    attempt = check_password_attempt(request, username, password)
    if attempt.user is None:
        raise Invalid("current_password", "is wrong")
    login.record_success(request.db, attempt, request.now)


def includeme(config: Configurator) -> None:
    add_form_page(
        config,
        "change_password",
        "/password",
        login_required,
        show,
        submit,
        AccountPermission.MANAGE,
    )
