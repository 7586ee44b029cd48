"""Flash messages: what a page says about the action that redirected to it."""

from ..texts import Message
from ..web.api.request import ForumRequest

_MESSAGES = {
    "confirmation-sent": Message("An email was sent. Follow the link in it."),
    "email-confirmed": Message("Your email address is confirmed."),
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
    "photo-deleted": Message("The photo is deleted."),
    "profile-saved": Message("Your profile is saved."),
    "decided": Message("It is decided, and nothing else waits."),
    "decided-next": Message("It is decided. This one waits, too."),
    "reported": Message("Thank you. The moderators will look at it, and you will be told."),
    "revoked": Message("The application no longer has access to your account."),
    "registered-already": Message(
        "The application is registered. If you have not seen its secret, create a new one."
    ),
    "deleted": Message("The application is deleted, and so is its access to all accounts."),
}


def flash_message(request: ForumRequest) -> str | None:
    """Return the message that the query parameter names; never text taken from the address."""
    return _MESSAGES.get(str(request.parameters.get("flash_message")))
