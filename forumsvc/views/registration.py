"""POST /users: opening an account, where that is open (an extension of the API description)."""

from ..permissions import UserPermission as May
from ..resources.users import Users
from ..schemas.accounts import registration_form
from ..schemas.validation import validate
from ..services import registration
from ..web.api.api_view import api_view
from ..web.api.request import ForumRequest
from ..web.responses.results import Detail, Kind


@api_view(Users, "POST", May.REGISTER)
def open_account(container: Users, request: ForumRequest) -> Detail:
    """Open an account. Whether that is open at all comes before what was sent."""
    registration.check_open(request.settings)
    request.registry.abuse_limits.count_registration(request)
    sent = validate(registration_form(request.settings), request.parameters)
    made = registration.register(request.db, request.read_connection, **sent)
    location = f"{request.site.base_url}/api/v3/users/{made.id}"
    return Detail(Kind.USER, container.get(made.id), location)
