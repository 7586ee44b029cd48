"""/settings/notifications: of what one wants to be notified."""

from pyramid.response import Response

from ...permissions import UserPermission as May
from ...resources.users import UserItem
from ...services.notifications import preferences
from ...web.api.request import ForumRequest
from ..flash_messages import flash_message, redirect_with_message
from ..forms import Values
from ..page import page, page_form
from ..page_tree import own_page


@page("notification_settings", "/settings/notifications", own_page, May.UPDATE, "notifications")
def show(item: UserItem, request: ForumRequest) -> Values:
    return {
        "choices": preferences.OPTIONAL,
        "unwanted": preferences.unwanted_of(request.read_connection, item.row.user_id),
        "flash_message": flash_message(request),
    }


@page_form(show)
def submit(item: UserItem, request: ForumRequest) -> Response:
    """Keep what is wanted. An unchecked box is not sent: of that the user wants none."""
    unwanted = [type_ for type_ in preferences.OPTIONAL if not request.parameters.get(type_)]
    preferences.set_unwanted(request.db, item.row.user_id, unwanted)
    return redirect_with_message(request, "notifications-saved", "notification_settings")
