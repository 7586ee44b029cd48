"""PUT /users/me: editing one's own profile (an extension of the API description)."""

from ..permissions import UserPermission as May
from ..resources.users import UserItem
from ..schemas.users import profile_form
from ..services import photos, profiles
from ..web.api_view import api_view
from ..web.request import ForumRequest
from ..web.results import Kind, Single


@api_view(UserItem, "PUT", May.UPDATE, schema=profile_form)
def update_profile(item: UserItem, request: ForumRequest) -> Single:
    """Change what the caller says of themselves; what is not sent stays."""
    changes = dict(request.validated)
    if changes.get("avatar"):
        picture = request.avatar.result()
        changes["avatar"] = photos.record(request.db, item.row.user_id, request.now, picture)
    profiles.edit(request.db, item.row.user_id, request.now, **changes)
    return Single(Kind.USER, item.again())
