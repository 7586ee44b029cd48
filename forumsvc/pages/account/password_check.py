"""Checking the passwords that users type on the pages."""

from ...errors import Invalid
from ...sessions import password_login
from ...web.api.request import ForumRequest


def check_password_attempt(
    request: ForumRequest, username: str, password: str
) -> password_login.LoginAttempt:
    """Check a password. The page that answers commits the count, right or wrong.

    Raises RateLimited.
    """
    attempt = password_login.authenticate(
        request.registry.database.reads,
        request.settings,
        username,
        password,
        address=request.remote_addr or "",
        now=request.now,
    )
    if attempt.user is None:
        password_login.record_failure(request.db, attempt, request.settings, request.now)
    request.response.headers["X-Tm"] = "commit"
    return attempt


def check_current_password(request: ForumRequest, login_name: str, password: str) -> None:
    """Check the password of the form's field `current_password`. Raises Invalid, RateLimited."""
    attempt = verify_current_password(request, login_name, password)
    password_login.record_success(request.db, attempt, request.now)


def verify_current_password(
    request: ForumRequest, login_name: str, password: str
) -> password_login.LoginAttempt:
    """As `check_current_password`, without `record_success`, which locks: hash before it."""
    attempt = check_password_attempt(request, login_name, password)
    if attempt.user is None:
        raise Invalid("current_password", "is wrong")
    return attempt
