"""/signup: creating an account, if registration is open."""

from pyramid.response import Response
from pyramid_retry import RetryableException, is_last_attempt
from sqlalchemy import select

from ...errors import Invalid
from ...models import User
from ...permissions import Common
from ...schemas.accounts import REGISTRATION_FORM
from ...services.accounts import registration
from ...sessions import users
from ...sessions.authentication import Authentication
from ...sessions.password_login import proof_of
from ...web import accounts
from ...web.api.request import ForumRequest
from ...web.reauthentication import attempt_login
from ..forms import Values, form, in_order, process_form
from ..page import page, page_form
from ..page_context import PageContext, public_page
from ..paths import next_of_form, path_to_go_on, redirect_to_next
from . import signup_trap

_MOST_SECONDS_BETWEEN = 600
"""Between a form and the same one sent again."""


@page("signup", "/signup", public_page, Common.VIEW, "signup", needs=None)
def show(context: PageContext, request: ForumRequest) -> Values:
    registration.check_open(request.site_texts)
    return form(**_others(request))


@page_form(show)
def submit(context: PageContext, request: ForumRequest) -> Response | Values:
    registration.check_open(request.site_texts)

    def create_account(values: Values) -> Response | Values:
        request.registry.abuse_limits.count_registration(request)
        signup_trap.check_person(request)
        owner = users.find(request.read_connection, values["email"])
        if owner is not None and _log_in_again(context, request, values, owner):
            return redirect_to_next(request)
        try:
            registered = accounts.register(request, values, path_to_go_on(request))
        except Invalid as error:
            is_new = owner is None and users.find(request.read_connection, values["email"])
            if is_new and not is_last_attempt(request):
                # The same form, a moment ago; its password is not hashed under the lock taken here.
                raise RetryableException from error
            others = registration.problems(
                request.read_connection, request.site_texts.name, **values
            )
            request.response.status_int = 400
            errors = in_order(REGISTRATION_FORM, {**others, error.field: error.reason})
            return form(form_values=values, errors=errors, **_others(request))
        user_id = registered.account.id
        context.log_in(Authentication(user_id=user_id, means="sign-up", at=request.now))
        return redirect_to_next(request)

    return process_form(request, REGISTRATION_FORM, create_account, **_others(request))


def _log_in_again(
    context: PageContext, request: ForumRequest, values: Values, owner: users.LoginUser
) -> bool:
    """Log in the owner of the account that this form has just made: it was sent twice.

    owner: of its email address. It counts like a login. Returns False for an account from before
    the form was shown, about which nobody may learn whether the login and the email are of the same
    one, or a wrong password.
    """
    if owner.login.lower() != values["login"].lower():
        return False
    shown = signup_trap.seconds_shown(request)
    joined = request.read_connection.scalar(select(User.created_at).where(User.id == owner.id))
    if shown is None or joined is None:
        return False
    if (request.now - joined).total_seconds() > min(shown, _MOST_SECONDS_BETWEEN):
        return False
    attempt = attempt_login(request, owner.login, values["password"])
    if attempt.user is None:
        return False
    return context.log_in(proof_of(attempt, values["password"], request.now))


def _others(request: ForumRequest) -> Values:
    return {"next": next_of_form(request), "shown_at": signup_trap.stamp(request)}
