"""What a page says about what was done on the page before."""

from ..web.api.request import ForumRequest

_NOTICES = {
    "registered": "Your account is open. Log in with it.",
    "logged-out": "You are logged out.",
    "logged-out-everywhere": (
        "You are logged out everywhere, and no application has access to your account any more."
    ),
    "password-changed": (
        "Your password is changed, and you are logged out everywhere. Log in with the new one."
    ),
    "withdrawn": "The application has no access any more.",
    "deleted": "The application is deleted, and with it everything that it was allowed.",
}


def notice(request: ForumRequest) -> str | None:
    """Return the notice that the address names, or None: no text of others' making is shown."""
    return _NOTICES.get(str(request.parameters.get("notice")))
