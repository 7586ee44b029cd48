"""/settings/mail: of what one gets emails; and the page that unsubscribes without a log-in."""

from typing import Any

from pyramid.response import Response

from ...errors import Forbidden
from ...models.mail import MAIL_LABELS, MailPace
from ...permissions import Common
from ...permissions import UserPermission as May
from ...resources.users import UserItem
from ...schemas.users import LOCALE_FORM, MAIL_FORM
from ...schemas.validation import validate
from ...services.accounts import profiles
from ...services.notifications import mail_choices, refusals, unsubscribing
from ...text.messages import Message
from ...web.api.request import ForumRequest
from ..flash_messages import flash_message, redirect_with_message
from ..forms import Values, process_form
from ..page import page, page_form
from ..page_context import PageContext, public_page
from ..page_tree import own_page
from .settings import language_values

_PACES = {
    MailPace.INSTANT: Message("Within minutes"),
    MailPace.HOURLY: Message("Once an hour"),
    MailPace.DAILY: Message("Once a day"),
    MailPace.WEEKLY: Message("Once a week"),
    MailPace.OFF: Message("Never"),
}
_INVALID_LINK = Message(
    "This link has expired or is incomplete. What you get by email, you choose in the settings."
)


@page("mail_settings", "/settings/mail", own_page, May.CHOOSE_MAIL, "mail")
def show(item: UserItem, request: ForumRequest) -> Values:
    values = _values(item, request)
    return {**values, "form_values": values["chosen"], "errors": {}}


@page_form(show)
def submit(item: UserItem, request: ForumRequest) -> Response | Values:
    """Keep what is chosen, and the language of the emails."""

    def choose(chosen: Values) -> Response:
        user_id = item.row.user_id
        locale = validate(LOCALE_FORM, request.parameters)
        mail_choices.choose(request.db, request.settings, user_id, request.now, chosen)
        profiles.edit(request.db, user_id, request.now, **locale)
        return redirect_with_message(request, "mail-saved", "mail_settings")

    return process_form(request, MAIL_FORM, choose, **_values(item, request))


@page("mail_resume", "/settings/mail/resume", own_page, May.CHOOSE_MAIL, method="POST")
def resume(item: UserItem, request: ForumRequest) -> Response:
    """Send emails again to an address that was refused."""
    refusals.forget(request.db, item.row.user_id)
    return redirect_with_message(request, "mail-resumed", "mail_settings")


def _values(item: UserItem, request: ForumRequest) -> dict[str, Any]:
    user_id = item.row.user_id
    return {
        "labels": MAIL_LABELS,
        "chosen": mail_choices.of_user(request.read_connection, request.settings, user_id),
        "paces": {
            about: {pace: _PACES[MailPace(pace)] for pace in paces}
            for about, paces in mail_choices.allowed(request.settings).items()
        },
        **language_values(item),
        "sends_mail": request.sends_mail,
        "is_confirmed": item.row.email_confirmed_at is not None,
        "flash_message": flash_message(request),
    }


@page("unsubscribe", unsubscribing.PATH, public_page, Common.VIEW, "unsubscribe", needs=None)
def show_unsubscribe(context: PageContext, request: ForumRequest) -> Values:
    """Show the button that the link leads to: programs that check emails open links, too."""
    _, about = _verified(request, request.read_connection)
    return {"label": MAIL_LABELS[about], "is_done": False}


@page(
    "unsubscribe",
    unsubscribing.PATH,
    public_page,
    Common.VIEW,
    "unsubscribe",
    method="POST",
    needs=None,
    require_csrf=False,  # mail programs send no cookie (RFC 8058)
)
def unsubscribe(context: PageContext, request: ForumRequest) -> Values:
    """Send no more emails of that kind, also a second time."""
    user_id, about = _verified(request, request.db)
    unsubscribing.unsubscribe(request.db, user_id, about, request.now)
    return {"label": MAIL_LABELS[about], "is_done": True}


def _verified(request: ForumRequest, db: Any) -> tuple[int, Any]:
    secret, query = request.settings["session.secret"], request.GET
    named = query.get("about"), query.get("token")
    found = unsubscribing.verify(db, secret, *named, request.now)
    if found is None:
        raise Forbidden(_INVALID_LINK)
    return found
