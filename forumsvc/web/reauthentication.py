"""Checking a password: at a log-in, and again where somebody logged in does what cannot be undone.

Each attempt is counted in a transaction of its own, before the request's begins: the count stays,
however the request ends, and no lock is held while a password is hashed.
"""

from ..errors import Invalid
from ..sessions import password_login
from ..sessions.password_login import LoginAttempt
from .api.request import ForumRequest


def attempt_login(request: ForumRequest, username: str, password: str) -> LoginAttempt:
    """Check a username (login or email) and a password; count it if it is wrong.

    Raises RateLimited, PasswordsBusy.
    """
    database, settings = request.registry.database, request.settings
    attempt = password_login.authenticate(
        *(database.reads, settings, username, password),
        address=request.remote_addr or "",
        now=request.now,
    )
    if attempt.user is None:
        with database.session.begin() as db:
            password_login.record_failure(db, attempt, settings, request.now)
    return attempt


def reauthenticate(
    request: ForumRequest, login_name: str, password: str, field: str = "password"
) -> None:
    """Check and count the password of the caller, whose login this is. field: of the form.

    Raises Invalid, RateLimited, PasswordsBusy.
    """
    attempt = attempt_login(request, login_name, password)
    if attempt.user is None:
        raise Invalid(field, "is wrong")
    with request.registry.database.session.begin() as db:
        password_login.record_success(db, attempt, request.now)
