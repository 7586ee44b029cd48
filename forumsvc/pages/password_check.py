"""A password that was typed on a page."""

from ..oauth import login
from ..web.api.request import ForumRequest


def check_password_attempt(
    request: ForumRequest, username: str, password: str
) -> login.LoginAttempt:
    """Check a password; a wrong one is counted, which the answer must see committed.

    Raises RateLimited.
    """
    attempt = login.authenticate(
        request.registry.database.reads,
        request.settings,
        username,
        password,
        address=request.remote_addr or "",
        now=request.now,
    )
    if attempt.user is None:
        login.record_failure(request.db, attempt, request.settings, request.now)
    return attempt
