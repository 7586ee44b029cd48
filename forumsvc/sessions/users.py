"""The users who log in, by a login or an email address."""

from typing import NamedTuple

from sqlalchemy import Connection, or_, select
from sqlalchemy.orm import Session

from ..cache.invalidation import update_without_invalidation
from ..models import User, UserState
from ..process.passwords import hash_password, needs_rehash, verify_password
from ..text.email_addresses import email_key

MAX_USERNAME = 255
"""Characters: the longest email address that a user can have."""


class LoginUser(NamedTuple):
    """A user who may log in. password_hash: the stored hash when the row was read."""

    id: int
    login: str
    password_hash: str | None
    new_hash: str | None = None
    """The password hashed anew, if the stored hash is outdated (`needs_rehash`)."""


def find(db: Session | Connection, username: str) -> LoginUser | None:
    """Return the user with this login or email in any case, or None; never a deleted user."""
    key = username.strip().lower()
    if len(key) > MAX_USERNAME:
        return None
    # A login is ASCII. lower() turns some other characters into ASCII letters.
    login_key = key if username.isascii() else ""
    # `key`: of an address that an account has from before `email_key` was as strict.
    email_keys = {key, email_key(username) or key}
    is_user = or_(User.login_key == login_key, User.email_key.in_(email_keys))
    row = db.execute(
        select(User.id, User.login, User.password_hash).where(
            is_user, User.state != UserState.DELETED
        )
    ).first()
    return None if row is None else LoginUser(*row)


def check_password(user: LoginUser | None, password: str) -> LoginUser | None:
    """Return the user if the password is right, else None; no user takes the same time."""
    stored = None if user is None else user.password_hash
    if not verify_password(stored, password) or user is None or stored is None:
        return None
    is_outdated = needs_rehash(stored, password)
    return user._replace(new_hash=hash_password(password)) if is_outdated else user


def rehash(db: Session, user: LoginUser) -> None:
    """Store the new hash, if the stored one is outdated."""
    if user.new_hash is None:
        return
    db.execute(
        update_without_invalidation(User)
        .where(User.id == user.id, User.password_hash == user.password_hash)
        .values(password_hash=user.new_hash)
    )
