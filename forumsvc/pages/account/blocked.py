"""/settings/blocked: the people whom one blocks, and a button to end that."""

from ...permissions import UserPermission as May
from ...queries import users
from ...resources.users import UserItem
from ...web.api.request import ForumRequest
from ..forms import Values
from ..lines import Person
from ..page import page
from ..page_tree import own_page
from ..paging import cursor_links, numbered_or_cursor, page_request


@page(
    "blocked", "/settings/blocked", own_page, May.VIEW_BLOCKED, "blocked", schema=numbered_or_cursor
)
def show(item: UserItem, request: ForumRequest) -> Values:
    found, cursors = users.blocked_by(request.db, item.row.user_id, page_request(request))
    people = [Person.of(request, row) for row in found]
    return {"people": people, **cursor_links(request, cursors)}
