"""/signup: creating an account, if registration is open."""

from pyramid.config import Configurator
from pyramid.response import Response

from ...permissions import Common
from ...schemas.accounts import REGISTRATION_FORM
from ...services import registration
from ...web import accounts
from ...web.api.request import ForumRequest
from ..forms import Values, form, process_form
from ..page_context import PageContext, public_page
from ..paths import redirect_to_page, safe_redirect_path
from ..views import add_page
from . import signup_trap


def show(context: PageContext, request: ForumRequest) -> Values:
    registration.check_open(request.settings)
    return form(next=_next(request), shown_at=signup_trap.stamp(request))


def submit(context: PageContext, request: ForumRequest) -> Response | Values:
    registration.check_open(request.settings)

    def create_account(values: Values) -> Response:
        request.registry.abuse_limits.count_registration(request)
        signup_trap.check_person(request)
        registered = accounts.register(request, values)
        message = "registered"
        if registered.must_confirm:
            message += "-unconfirmed"
        if registered.awaits_approval:
            message += "-awaits-approval"
        return redirect_to_page(request, "login", flash_message=message, next=_next(request))

    schema = REGISTRATION_FORM
    shown_at = signup_trap.stamp(request)
    return process_form(request, schema, create_account, next=_next(request), shown_at=shown_at)


def _next(request: ForumRequest) -> str | None:
    return safe_redirect_path(request.parameters.get("next"))


def includeme(config: Configurator) -> None:
    add_page(config, "signup", "/signup", public_page, Common.VIEW, show, submit, template="signup")
