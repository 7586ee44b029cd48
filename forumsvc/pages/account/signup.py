"""/signup: creating an account, if registration is open."""

from pyramid.config import Configurator
from pyramid.response import Response

from ...errors import Invalid
from ...permissions import Common
from ...schemas.accounts import REGISTRATION_FORM
from ...services import registration
from ...web import accounts
from ...web.api.request import ForumRequest
from ..forms import Values, form, process_form
from ..page_context import PageContext, public_page
from ..paths import path_to_go_on, redirect_to_next
from ..views import add_page
from . import signup_trap


def show(context: PageContext, request: ForumRequest) -> Values:
    registration.check_open(request.settings)
    return form(**_others(request))


def submit(context: PageContext, request: ForumRequest) -> Response | Values:
    registration.check_open(request.settings)

    def create_account(values: Values) -> Response | Values:
        request.registry.abuse_limits.count_registration(request)
        signup_trap.check_person(request)
        try:
            registered = accounts.register(request, values, path_to_go_on(request))
        except Invalid as error:
            others = registration.problems(request.read_connection, request.settings, **values)
            request.response.status_int = 400
            errors = {**others, error.field: error.reason}
            return form(form_values=values, errors=errors, **_others(request))
        context.log_in_new_user(registered.account.id)
        return redirect_to_next(request)

    return process_form(request, REGISTRATION_FORM, create_account, **_others(request))


def _others(request: ForumRequest) -> Values:
    return {"next": path_to_go_on(request), "shown_at": signup_trap.stamp(request)}


def includeme(config: Configurator) -> None:
    add_page(config, "signup", "/signup", public_page, Common.VIEW, show, submit, template="signup")
