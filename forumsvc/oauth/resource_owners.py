"""Resource owners (RFC 6749 §1.1): the users who log in and authorize clients."""

from typing import NamedTuple

from sqlalchemy import Connection, or_, select
from sqlalchemy.orm import Session

from .. import clock
from ..cache.invalidation import update_without_invalidation
from ..email_addresses import email_key
from ..models import OAuthClient, User, UserState, state_at
from ..passwords import hash_password, needs_rehash, verify_password
from .clients import Client

MAX_USERNAME = 255
"""Characters: the longest email address that a user can have."""


class ResourceOwner(NamedTuple):
    """A user who may log in. password_hash: the stored hash when the row was read."""

    id: int
    login: str
    password_hash: str | None
    new_hash: str | None = None
    """The password hashed anew, if the stored hash is outdated (`needs_rehash`)."""


def find(db: Session | Connection, username: str) -> ResourceOwner | None:
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
    return None if row is None else ResourceOwner(*row)


def check_password(user: ResourceOwner | None, password: str) -> ResourceOwner | None:
    """Return the user if the password is right, else None; no user takes the same time."""
    stored = None if user is None else user.password_hash
    if not verify_password(stored, password) or user is None or stored is None:
        return None
    is_outdated = needs_rehash(stored, password)
    return user._replace(new_hash=hash_password(password)) if is_outdated else user


class LockedUser(NamedTuple):
    """The state of the locked user. password_hash: None also if there is no user."""

    password_hash: str | None


def lock_client_and_user(
    db: Session, client: Client, user_id: int | None, *, for_update: bool = False
) -> LockedUser | None:
    """Lock the rows of the client, its owner and the user until the transaction ends.

    user_id: None for no user; for_update: whether this transaction will update the user, so that it
    takes the exclusive lock at once (two that upgrade a shared lock would deadlock). Returns None
    if the client or the user is gone, or the client's owner is blocked or deleted.
    """
    # Users before the client, in the order of their ids, as in blocking and deleting a user.
    user_ids = {row_id for row_id in (user_id, client.owner_id) if row_id is not None}
    columns = (User.id, User.password_hash, User.state, User.blocked_until)
    users = select(*columns).where(User.id.in_(user_ids))
    in_order = users.order_by(User.id).with_for_update(read=not for_update, key_share=for_update)
    found = {row.id: row for row in db.execute(in_order)} if user_ids else {}
    registered = select(OAuthClient.id).where(OAuthClient.id == client.id)
    if db.execute(registered.with_for_update(read=True)).first() is None:
        return None
    if client.owner_id is not None:
        owner = found[client.owner_id]
        if state_at(owner.state, owner.blocked_until, clock.now()) != UserState.ACTIVE:
            return None
    if user_id is None:
        return LockedUser(None)
    user = found.get(user_id)
    if user is None or user.state == UserState.DELETED:
        return None
    return LockedUser(user.password_hash)


def rehash(db: Session, user: ResourceOwner) -> None:
    """Store the new hash, if the stored one is outdated."""
    if user.new_hash is None:
        return
    db.execute(
        update_without_invalidation(User)
        .where(User.id == user.id, User.password_hash == user.password_hash)
        .values(password_hash=user.new_hash)
    )
