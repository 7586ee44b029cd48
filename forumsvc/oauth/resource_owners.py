"""Resource owners (RFC 6749 §1.1): the users who log in and authorize clients."""

from typing import NamedTuple

from sqlalchemy import select
from sqlalchemy.orm import Session

from .. import clock
from ..models import OAuthClient, User, UserState, state_at
from .clients import Client


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
    users_by_id = {row.id: row for row in db.execute(in_order)} if user_ids else {}
    registered = select(OAuthClient.id).where(OAuthClient.id == client.id)
    if db.execute(registered.with_for_update(read=True)).first() is None:
        return None
    if client.owner_id is not None:
        owner = users_by_id[client.owner_id]
        if state_at(owner.state, owner.blocked_until, clock.now()) != UserState.ACTIVE:
            return None
    if user_id is None:
        return LockedUser(None)
    user = users_by_id.get(user_id)
    if user is None or user.state == UserState.DELETED:
        return None
    return LockedUser(user.password_hash)
