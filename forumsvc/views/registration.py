"""POST /users: registration, if it is open (an extension of the API description)."""

from ..permissions import UserPermission as May
from ..resources.users import Users
from ..schemas.accounts import REGISTRATION_FORM
from ..schemas.validation import validate
from ..services import registration
from ..web import accounts
from ..web.api.api_view import api_view
from ..web.api.request import ForumRequest
from ..web.responses.results import Detail, Kind


@api_view(Users, "POST", May.REGISTER)
def open_account(container: Users, request: ForumRequest) -> Detail:
    """Register an account. Whether registration is open is checked before the parameters."""
    registration.check_open(request.settings)
    request.registry.abuse_limits.count_registration(request)
    sent = validate(REGISTRATION_FORM, request.parameters)
    account = accounts.register(request, sent).account
    return Detail(Kind.USER, container.get(account.id), is_new=True)
