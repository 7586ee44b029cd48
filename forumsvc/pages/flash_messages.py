"""What a page says about what was done on the page before."""

from ..web.api.request import ForumRequest

_MESSAGES = {
    "registered": "Your account is open. Log in with it.",
    "logged-out": "You are logged out.",
    "logged-out-everywhere": (
        "You are logged out everywhere, and no application has access to your account any more."
    ),
    "password-changed": (
        "Your password is changed, and you are logged out everywhere. Log in with the new one."
    ),
    "revoked": "The application has no access any more.",
    "deleted": "The application is deleted, and with it everything that it was allowed.",
}


def flash_message(request: ForumRequest) -> str | None:
    """Return the message that the query parameter names; never text taken from the address."""
    return _MESSAGES.get(str(request.parameters.get("flash_message")))
