"""PUT /users/me: editing the own profile (an extension of the API description)."""

from typing import NamedTuple

from ..media.images import ProcessedImage
from ..permissions import UserPermission as May
from ..resources.users import UserItem
from ..schemas.users import PROFILE_FORM
from ..services.accounts import profiles
from ..services.photos import photos
from ..web import accounts, uploads
from ..web.api.api_view import api_view
from ..web.api.request import ForumRequest
from ..web.http_cache.etags import check_if_match
from ..web.responses.results import Detail, Kind


class Prepared(NamedTuple):
    """What is done before the transaction: the thumbnail made, the password checked."""

    avatar: ProcessedImage | None
    may_change_email: bool


def prepare(item: UserItem, request: ForumRequest) -> Prepared:
    """Check the password that a changed e-mail needs, and make the avatar's thumbnail."""
    may_change_email = accounts.check_password(request, item.row)
    return Prepared(_shrink_avatar(item, request), may_change_email)


def _shrink_avatar(item: UserItem, request: ForumRequest) -> ProcessedImage | None:
    address = request.validated.get("avatar")
    if not address:
        return None
    owned = request.read_connection, item.row.user_id, address
    return uploads.stored(request, photos.store_avatar, *owned)


@api_view(UserItem, "PUT", May.UPDATE, schema=PROFILE_FORM, prework=prepare)
def update_profile(item: UserItem, request: ForumRequest) -> Detail:
    """Change the caller's profile; absent fields stay unchanged."""
    changes = dict(request.validated)
    email, _ = changes.pop("email", ""), changes.pop("password", None)
    prepared: Prepared = request.prework
    if prepared.avatar is not None:
        changes["avatar"] = uploads.record(request, prepared.avatar, "avatar")
    # Only now, as it locks the user: the picture is stored before.
    if "HTTP_IF_MATCH" in request.environ:
        check_if_match(request, item.for_update(whole_row=True))
    if prepared.may_change_email:
        accounts.change_address(request, item.row.user_id, email)
    profiles.edit(request.db, item.row.user_id, request.now, **changes)
    return Detail(Kind.USER, item.reloaded())
