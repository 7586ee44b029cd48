"""/settings: a member's own profile, with their picture."""

from typing import Any

from pyramid.response import Response

from ...errors import Invalid
from ...media.images import ProcessedImage
from ...models import PROFILE_TEXTS, ProfileText
from ...permissions import UserPermission as May
from ...queries.rows import UserRow
from ...resources.users import UserItem
from ...schemas.users import PROFILE_FORM
from ...services import photos, profiles
from ...texts import Message
from ...web.api.request import ForumRequest
from ..flash_messages import flash_message, redirect_with_message
from ..forms import Values, form, process_form
from ..page import page, page_form
from ..page_tree import own_page
from ..pictures import record_picture, uploaded_file

_FIELDS = (ProfileText("name", Message("Name"), max_length=100), *PROFILE_TEXTS)


@page("settings", "/settings", own_page, May.UPDATE, "settings")
def show(item: UserItem, request: ForumRequest) -> Values:
    row = item.row
    values = {text.name: getattr(row, text.name) for text in PROFILE_TEXTS}
    values["name"] = row.user_name
    values["email_public"] = "1" if row.email_public else ""
    return form(form_values=values, **_others(item, request))


@page_form(show)
def submit(item: UserItem, request: ForumRequest) -> Response | Values:
    """Change the profile. An unchecked box is not sent, which means false here."""

    def change(values: Values) -> Response:
        names = [text.name for text in _FIELDS if text.name in values]
        changes: dict[str, Any] = {name: values[name] for name in names}
        changes["email_public"] = values.get("email_public", False)
        picture = _stored_picture(request)
        if picture is not None:
            changes["avatar"] = record_picture(request, picture, "picture")
        elif request.parameters.get("no_picture"):
            changes["avatar"] = ""
        profiles.edit(request.db, item.row.user_id, request.now, **changes)
        return redirect_with_message(request, "profile-saved", "settings")

    return process_form(request, PROFILE_FORM, change, **_others(item, request))


def _stored_picture(request: ForumRequest) -> ProcessedImage | None:
    """Return the thumbnail of the uploaded picture, if any. Raises Invalid."""
    upload = uploaded_file(request, "picture")
    if upload is None:
        return None
    registry = request.registry
    try:
        image = photos.store_uploaded_avatar(
            registry.photo_storages, registry.photo_decoding, request.actor_id, upload
        )
    except Invalid as error:
        raise Invalid("picture", error.reason) from None
    request.remove_photo_on_abort(image.name)
    return image


def _others(item: UserItem, request: ForumRequest) -> Values:
    row: UserRow = item.row
    return {
        "fields": _FIELDS,
        "avatar": request.site.avatar_url(row.user_login, row.user_avatar),
        "has_picture": bool(row.user_avatar),
        "flash_message": flash_message(request),
    }
