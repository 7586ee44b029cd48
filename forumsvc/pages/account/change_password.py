"""/password: a logged-in user changes their password."""

from pyramid.response import Response

from ...oauth import login
from ...passwords import hash_password
from ...permissions import AccountPermission as May
from ...schemas.accounts import PASSWORD_FORM
from ...services import accounts, registration
from ...web.api.request import ForumRequest
from ..flash_messages import redirect_with_message
from ..forms import Values, form, process_form
from ..page import page, page_form
from ..page_context import PageContext, login_required
from .password_check import verify_current_password


@page("change_password", "/password", login_required, May.MANAGE, "change_password", needs=None)
def show(context: PageContext, request: ForumRequest) -> Values:
    return form()


@page_form(show)
def submit(context: PageContext, request: ForumRequest) -> Response | Values:
    """Change the password, which logs the user out everywhere."""
    user = context.user
    assert user is not None, "the page requires a login"  # noqa: S101

    def change(values: Values) -> Response:
        attempt = verify_current_password(request, user.login, values["current_password"])
        field, of = "new_password", (user.login, user.email)
        try:
            new = registration.check_new_password(request.settings, field, values[field], *of)
            password_hash = hash_password(new)
        finally:  # it counts, whatever the new one is; and it locks
            login.record_success(request.db, attempt, request.now)
        accounts.set_password_hash(request.db, user.login, password_hash)
        context.log_out()
        return redirect_with_message(request, "password-changed", "login")

    return process_form(request, PASSWORD_FORM, change)
