"""Checking the passwords that users type on the pages."""

from ...oauth import login
from ...web.api.request import ForumRequest


def check_password_attempt(
    request: ForumRequest, username: str, password: str
) -> login.LoginAttempt:
    """Check a password. A wrong one is counted, so the response must commit. Raises RateLimited."""
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
