"""Flash messages: what a page says about the action that redirected to it."""

from ..texts import Message
from ..web.api.request import ForumRequest

_MESSAGES = {
    "registered": Message("Your account is created. You can log in now."),
    "registered-unconfirmed": Message(
        "Your account is created, and an email was sent to you. You can log in now, and write once "
        "you have followed the link in that email."
    ),
    "registered-unconfirmed-awaits-approval": Message(
        "Your account is created, and an email was sent to you. You can log in and read. You can "
        "write once you have followed the link in that email and a moderator has approved your "
        "account."
    ),
    "confirmation-sent": Message("An email was sent. Follow the link in it."),
    "email-confirmed": Message("Your email address is confirmed."),
    "email-saved": Message("Your email address is saved."),
    "registered-awaits-approval": Message(
        "Your account is created. You can log in and read. You can write when a moderator has "
        "approved it."
    ),
    "logged-out": Message("You are logged out."),
    "logged-out-everywhere": Message(
        "You are logged out everywhere, and no application has access to your account anymore."
    ),
    "password-changed": Message(
        "Your password is changed, and you are logged out everywhere. Log in with your new one."
    ),
    "profile-saved": Message("Your profile is saved."),
    "reported": Message("Thank you. The moderators will look at it, and you will be told."),
    "revoked": Message("The application no longer has access to your account."),
    "deleted": Message("The application is deleted, and so is its access to all accounts."),
}


def flash_message(request: ForumRequest) -> str | None:
    """Return the message that the query parameter names; never text taken from the address."""
    return _MESSAGES.get(str(request.parameters.get("flash_message")))
