"""Flash messages: what a page says about the action that redirected to it.

In a cookie, not in the address: nobody else can make a page say that something was done.
"""

from pyramid.httpexceptions import HTTPSeeOther
from pyramid.response import Response

from ..text.messages import Message
from ..web.api.request import ForumRequest
from ..web.pipeline.session_cookie import cookie_name, cookie_of, set_cookie
from .kept_text import digest_of
from .paths import redirect_to_page

_MESSAGES = {
    "confirmation-sent": Message("An email was sent. Follow the link in it."),
    "email-confirmed": Message("Your email address is confirmed."),
    "email-confirmed-write": Message("Your email address is confirmed. Now you can write here."),
    "email-saved": Message("Your email address is saved."),
    "logged-out": Message("You are logged out."),
    "logged-out-there": Message("You are logged out there."),
    "logged-out-everywhere": Message(
        "You are logged out everywhere, and no application has access to your account anymore."
    ),
    "password-changed": Message(
        "Your password is changed, and you are logged out everywhere. Log in with your new one."
    ),
    "export-asked-for": Message("Your data is being put together. Come back in a few minutes."),
    "closure-begun": Message("Your account will be closed, as you asked. You can still keep it."),
    "closure-taken-back": Message("Your account stays open."),
    "display-saved": Message("Saved for this browser."),
    "notifications-saved": Message("Saved."),
    "mail-saved": Message("Saved."),
    "mail-resumed": Message("You get emails again."),
    "node-saved": Message("The node is saved."),
    "nodes-saved": Message("The nodes are added."),
    "node-deleted": Message("The node is deleted."),
    "deleted-already": Message("It is deleted already."),
    "section-saved": Message("The section is saved."),
    "section-deleted": Message("The section is deleted."),
    "site-saved": Message("The name, the texts and the logo are saved."),
    "invited": Message("The email with the link is on its way to everybody you have invited."),
    "invited-to-folder": Message(
        "The emails with the links are written to a folder (mail.dir), and nobody gets them: show "
        "the links below, and pass them on."
    ),
    "withdrawn": Message("The invitation is taken back."),
    "password-chosen": Message("Your password is set, and you are logged in. Welcome!"),
    "test-sent": Message("An email to you is being made. Below stands what becomes of it."),
    "role-saved": Message("The role is changed. It holds at once."),
    "photo-deleted": Message("The photo is deleted."),
    "version-hidden": Message("The text is hidden. Only moderators see it."),
    "draft-saved": Message("Your draft is saved. Nobody else sees it."),
    "draft-deleted": Message("The draft is deleted."),
    "draft-changed": Message("The draft has changed since. This is what it is now."),
    "profile-saved": Message("Your profile is saved."),
    "decided": Message("It is decided, and nothing else waits."),
    "decided-next": Message("It is decided. This one waits, too."),
    "restricted": Message("It is done, and the user is told."),
    "reported": Message("Thank you. The moderators will look at it, and you will be told."),
    "revoked": Message("The application no longer has access to your account."),
    "registered-already": Message(
        "The application is registered. If you have not seen its secret, create a new one."
    ),
    "read": Message("The topic is marked as read."),
    "read-all": Message("All topics are marked as read."),
    "unread": Message("From that reply on the topic is not read."),
    "deleted": Message("The application is deleted, and so is its access to all accounts."),
}


_COOKIE = "flash"
_SECONDS = 60
"""For how long the page after a redirect may be on its way."""


def redirect_with_message(
    request: ForumRequest, name: str, route: str, **values: str | None
) -> HTTPSeeOther:
    """Return a redirect to a page, as `redirect_to_page`, which shows this message once."""
    return with_message(request, name, redirect_to_page(request, route, **values))


def with_message(request: ForumRequest, name: str, response: HTTPSeeOther) -> HTTPSeeOther:
    """Have the page that a redirect leads to show this message, and no other one."""
    path = digest_of(str(response.location).partition("?")[0])
    set_cookie(request, response, _COOKIE, f"{name}.{path}", _SECONDS)
    return response


def flash_message(request: ForumRequest) -> str | None:
    """Return the message of the action that redirected this browser here, which is shown once."""
    name, _, path = cookie_of(request, cookie_name(request, _COOKIE)).partition(".")
    if not name or path != digest_of(request.path):
        return None
    request.add_response_callback(_forget)
    return _MESSAGES.get(name)


def _forget(request: ForumRequest, response: Response) -> None:
    set_cookie(request, response, _COOKIE, "", 0)
