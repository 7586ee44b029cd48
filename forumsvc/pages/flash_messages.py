"""Flash messages: what a page says about the action that redirected to it."""

from ..web.api.request import ForumRequest

_MESSAGES = {
    "registered": "Your account is created. You can log in now.",
    "logged-out": "You are logged out.",
    "logged-out-everywhere": (
        "You are logged out everywhere, and no application has access to your account anymore."
    ),
    "password-changed": (
        "Your password is changed, and you are logged out everywhere. Log in with your new one."
    ),
    "revoked": "The application no longer has access to your account.",
    "deleted": "The application is deleted, and so is its access to all accounts.",
}


def flash_message(request: ForumRequest) -> str | None:
    """Return the message that the query parameter names; never text taken from the address."""
    return _MESSAGES.get(str(request.parameters.get("flash_message")))
