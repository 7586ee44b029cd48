"""Opening an account by oneself."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy.orm import Session

from ..db.execution import SqlConnection
from ..errors import AlreadyTaken, Forbidden, Invalid
from ..password_strength import weakness
from . import accounts


def is_open(settings: Mapping[str, Any]) -> bool:
    """Return whether people may open accounts by themselves."""
    return bool(settings["accounts.registration"] == "open")


def check_open(settings: Mapping[str, Any]) -> None:
    """Raise Forbidden where an administrator opens the accounts."""
    if not is_open(settings):
        raise Forbidden("Registration is closed here; ask an administrator for an account.")


def check_strength(field: str, password: str, about: tuple[str, ...]) -> str:
    """Return `password`; raise Invalid, naming `field`, where it is easily guessed.

    about: what is known of its owner.
    """
    if reason := weakness(password, about):
        raise Invalid(field, reason)
    return password


def register(
    db: Session, reads: SqlConnection, *, login: str, email: str, password: str
) -> accounts.Account:
    """Add an active member and return the account.

    reads: where it is looked up, before the password is hashed, whether login and e-mail are free.
    Raises Invalid naming the field that is wrong, too easily guessed, or somebody else's already.
    """
    accounts.check_login(login)
    email = accounts.check_email(email)
    accounts.check_password(password)
    check_strength("password", password, (login, email))
    try:
        accounts.check_free(reads, login, email)
        return accounts.create(db, login, password, email=email)
    except AlreadyTaken as error:
        raise Invalid(error.field, "is taken") from None
