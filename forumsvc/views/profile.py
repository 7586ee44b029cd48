"""PUT /users/me: editing the own profile (an extension of the API description)."""

from ..media.images import ProcessedImage
from ..permissions import UserPermission as May
from ..resources.users import UserItem
from ..schemas.users import profile_form
from ..services import photos, profiles
from ..web.api.api_view import api_view
from ..web.api.request import ForumRequest
from ..web.responses.results import Detail, Kind


def shrink_avatar(item: UserItem, request: ForumRequest) -> ProcessedImage | None:
    """Make and store the thumbnail of the avatar that the request names, if any."""
    address = request.validated.get("avatar")
    if not address:
        return None
    registry = request.registry
    image = photos.store_avatar(
        request.read_connection,
        registry.photo_storages,
        registry.photo_limits,
        item.row.user_id,
        address,
    )
    request.remove_photo_on_abort(image.name)
    return image


@api_view(UserItem, "PUT", May.UPDATE, schema=profile_form, prework=shrink_avatar)
def update_profile(item: UserItem, request: ForumRequest) -> Detail:
    """Change the caller's profile; absent fields stay unchanged."""
    changes = dict(request.validated)
    if request.prework is not None:
        changes["avatar"] = photos.record(
            request.db,
            request.registry.photo_storages,
            request.photo_quota,
            request.now,
            request.prework,
            field="avatar",
        )
    profiles.edit(request.db, item.row.user_id, request.now, **changes)
    return Detail(Kind.USER, item.reloaded())
