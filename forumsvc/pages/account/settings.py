"""/settings: a member's profile, notifications and blocked people, and the display of pages."""

from typing import Any

from pyramid.response import Response

from ...errors import Invalid
from ...media.images import ProcessedImage
from ...models import PROFILE_TEXTS, ProfileText
from ...permissions import Common
from ...permissions import UserPermission as May
from ...queries import nodes, users
from ...queries.rows import UserRow
from ...resources.users import UserItem
from ...schemas.users import LOCALE_FORM, PROFILE_FORM
from ...schemas.validation import validate
from ...services.accounts import profiles
from ...services.notifications import preferences
from ...services.photos import photos
from ...text.languages import LANGUAGES, own_name
from ...text.messages import Message
from ...web import uploads
from ...web.api.request import ForumRequest
from ...web.pipeline.session_cookie import set_cookie
from ..display import CHOICES, COOKIE, LONGEST_SECONDS, Display, display_of
from ..flash_messages import flash_message, redirect_with_message
from ..forms import Values, form, process_form
from ..lines import Person
from ..page import page, page_form
from ..page_context import PageContext, public_page
from ..page_tree import own_page
from ..paging import cursor_links, numbered_or_cursor, page_request
from ..pictures import uploaded_file
from ..users import BLOCK_EFFECT

_FIELDS = (ProfileText("name", Message("Name"), max_length=100), *PROFILE_TEXTS)


@page("settings", "/settings", own_page, May.UPDATE, "settings")
def show_profile(item: UserItem, request: ForumRequest) -> Values:
    row = item.row
    values = {text.name: getattr(row, text.name) for text in PROFILE_TEXTS}
    values["name"] = row.user_name
    values["email_public"] = "1" if row.email_public else ""
    return form(form_values=values, **_profile_values(item, request))


@page_form(show_profile)
def submit_profile(item: UserItem, request: ForumRequest) -> Response | Values:
    """Change the profile. An unchecked box is not sent, which means false here."""

    def change(values: Values) -> Response:
        names = [text.name for text in _FIELDS if text.name in values]
        changes: dict[str, Any] = {name: values[name] for name in names}
        changes["email_public"] = values.get("email_public", False)
        changes |= validate(LOCALE_FORM, request.parameters)
        picture = _stored_picture(request)
        if picture is not None:
            changes["avatar"] = uploads.record(request, picture, "picture")
        elif request.parameters.get("no_picture"):
            changes["avatar"] = ""
        profiles.edit(request.db, item.row.user_id, request.now, **changes)
        return redirect_with_message(request, "profile-saved", "settings")

    return process_form(request, PROFILE_FORM, change, **_profile_values(item, request))


def _stored_picture(request: ForumRequest) -> ProcessedImage | None:
    """Return the thumbnail of the uploaded picture, if any. Raises Invalid."""
    upload = uploaded_file(request, "picture")
    if upload is None:
        return None
    try:
        owner_id = request.actor_id
        return uploads.stored(request, photos.store_uploaded_avatar, owner_id, upload)
    except Invalid as error:
        raise Invalid("picture", error.reason) from None


def _profile_values(item: UserItem, request: ForumRequest) -> Values:
    row: UserRow = item.row
    return {
        "fields": _FIELDS,
        "labels": {"picture": Message("Picture"), **{text.name: text.label for text in _FIELDS}},
        "avatar": request.site.avatar_url(row.user_login, row.user_avatar),
        "has_picture": bool(row.user_avatar),
        **language_values(item),
        "flash_message": flash_message(request),
    }


def language_values(item: UserItem) -> Values:
    """Return what a form shows by which a member chooses the language of their emails."""
    languages = {language: own_name(language) for language in LANGUAGES}
    return {"languages": languages, "locale": item.row.locale or ""}


@page("notification_settings", "/settings/notifications", own_page, May.UPDATE, "notifications")
def show_notifications(item: UserItem, request: ForumRequest) -> Values:
    return {
        "choices": preferences.OPTIONAL,
        "unwanted": preferences.unwanted_of(request.read_connection, item.row.user_id),
        "flash_message": flash_message(request),
    }


@page_form(show_notifications)
def submit_notifications(item: UserItem, request: ForumRequest) -> Response:
    """Keep what is wanted. An unchecked box is not sent: of that the user wants none."""
    unwanted = [type_ for type_ in preferences.OPTIONAL if not request.parameters.get(type_)]
    preferences.set_unwanted(request.db, item.row.user_id, unwanted)
    return redirect_with_message(request, "notifications-saved", "notification_settings")


@page(
    "blocked", "/settings/blocked", own_page, May.VIEW_BLOCKED, "blocked", schema=numbered_or_cursor
)
def show_blocked(item: UserItem, request: ForumRequest) -> Values:
    result, cursors = users.blocked_by(request.db, item.row.user_id, page_request(request))
    people = [Person.of(request, row) for row in result]
    muted = nodes.muted_by(request.db, item.row.user_id)
    return {
        "people": people,
        "muted_nodes": muted,
        "effect": BLOCK_EFFECT,
        **cursor_links(request, cursors),
    }


@page("display", "/settings/display", public_page, Common.VIEW, "display")
def show_display(context: PageContext, request: ForumRequest) -> Values:
    return {
        "choices": CHOICES,
        "chosen": display_of(request)._asdict(),
        "languages": {language: own_name(language) for language in LANGUAGES},
        "flash_message": flash_message(request),
    }


@page_form(show_display)
def submit_display(context: PageContext, request: ForumRequest) -> Response:
    """Keep the choices; what is no choice is left to the browser."""
    values = {name: request.parameters.get(name) for name in CHOICES}
    valid = {name: str(value) for name, value in values.items() if value in CHOICES[name]}
    response = redirect_with_message(request, "display-saved", "display")
    set_cookie(request, response, COOKIE, Display(**valid).to_cookie(), LONGEST_SECONDS)
    return response
