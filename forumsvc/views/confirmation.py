"""POST /users/me/confirmation: the link that confirms an email address (an extension)."""

from ..permissions import UserPermission as May
from ..resources.users import UserItem
from ..web import accounts
from ..web.api.api_view import api_view
from ..web.api.request import ForumRequest
from ..web.responses.results import Ok


@api_view(UserItem, "POST", May.CONFIRM, name="confirmation")
def send_confirmation(item: UserItem, request: ForumRequest) -> Ok:
    """Send the caller the link once more."""
    accounts.send_again(request)
    return Ok()
