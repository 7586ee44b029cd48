"""Resource owners: the people who log in, as far as the provider needs to know them."""

from typing import NamedTuple

from sqlalchemy import Connection, or_, select
from sqlalchemy.orm import Session

from ..cache.invalidation import update_without_invalidation
from ..models import OAuthClient, User, UserState
from ..passwords import hash_password, needs_rehash, verify_password
from .clients import Client

MAX_USERNAME = 255
"""Characters: the longest e-mail address that a user can have."""


class ResourceOwner(NamedTuple):
    """A user who may log in. password_hash: what the password was checked against."""

    id: int
    login: str
    password_hash: str | None
    new_hash: str | None = None
    """The password hashed with today's parameters, where the stored hash has others."""


def find(db: Session | Connection, username: str) -> ResourceOwner | None:
    """Return the user with this login or e-mail, whatever the case; not a deleted one."""
    key = username.strip().lower()
    if len(key) > MAX_USERNAME:
        return None
    # Lower case would make another letter of some that are not ASCII, which no login has.
    login_key = key if username.isascii() else ""
    row = db.execute(
        select(User.id, User.login, User.password_hash).where(
            or_(User.login_key == login_key, User.email_key == key), User.state != UserState.DELETED
        )
    ).first()
    return None if row is None else ResourceOwner(*row)


def check_password(owner: ResourceOwner | None, password: str) -> ResourceOwner | None:
    """Return the user if the password is his, else None: in the same time where there is none."""
    stored = None if owner is None else owner.password_hash
    if not verify_password(stored, password) or owner is None or stored is None:
        return None
    return owner._replace(new_hash=hash_password(password)) if needs_rehash(stored) else owner


class LockedUser(NamedTuple):
    """What cannot change before the transaction ends. password_hash: the user's."""

    password_hash: str | None


def lock_client_and_user(
    db: Session, client: Client, user_id: int | None, *, for_update: bool = False
) -> LockedUser | None:
    """Keep the client, its owner and the user as they are until the transaction ends.

    user_id: None for no user; to_change: this transaction is going to change the user, and two
    that shared the row before would wait for each other. Returns None where the client or the user
    is gone, or the client's owner is blocked or deleted.
    """
    # People before the client, by their ids: as whoever blocks or deletes them goes about it.
    wanted = {row_id for row_id in (user_id, client.owner_id) if row_id is not None}
    people = select(User.id, User.password_hash, User.state).where(User.id.in_(wanted))
    in_order = people.order_by(User.id).with_for_update(read=not for_update, key_share=for_update)
    found = {row.id: row for row in db.execute(in_order)} if wanted else {}
    registered = select(OAuthClient.id).where(OAuthClient.id == client.id)
    if db.execute(registered.with_for_update(read=True)).first() is None:
        return None
    if client.owner_id is not None and found[client.owner_id].state != UserState.ACTIVE:
        return None
    if user_id is None:
        return LockedUser(None)
    user = found.get(user_id)
    return (
        None if user is None or user.state == UserState.DELETED else LockedUser(user.password_hash)
    )


def rehash(db: Session, owner: ResourceOwner) -> None:
    """Store the hash with today's parameters, where there is one to store."""
    if owner.new_hash is None:
        return
    db.execute(
        update_without_invalidation(User)
        .where(User.id == owner.id, User.password_hash == owner.password_hash)
        .values(password_hash=owner.new_hash)
    )
