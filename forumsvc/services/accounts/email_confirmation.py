"""Confirming an e-mail address by a signed token, and changing the address.

The token's signature covers what the account has now, so it becomes invalid when it is used, and
when another address takes the place of the one it is for.
"""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from functools import partial
from typing import Any, NamedTuple

from sqlalchemy import Connection, Select, exists, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from ...cache.invalidation import update_columns
from ...errors import AlreadyTaken, Conflict, Invalid, NotFound
from ...models import AdminAction, EventType, MailKind, User, UserState
from ...queries.user_locks import lock_account
from ...text.email_addresses import email_key
from ...text.messages import Message
from .. import events, mails
from ..moderation import actions
from ..moderation.actions import Action
from ..notifications import refusals
from . import accounts, signed_tokens

TTL = timedelta(days=3)
_PURPOSE = "email confirmation"
_TAKEN = Message("Another account has this email address by now.")


class WaitingAddress(NamedTuple):
    """An address that its account has to confirm.

    current: the account's address, which is the same if it was never confirmed; None without one;
    confirmed_at: since when the current one is confirmed.
    """

    user_id: int
    login: str
    address: str
    current: str | None
    confirmed_at: datetime | None


def is_required(settings: Mapping[str, Any]) -> bool:
    """Return whether people must confirm their address before they write."""
    chosen = settings["accounts.confirm_email"]
    return bool(chosen == "true" or (chosen == "auto" and settings["mail.delivery"] != "none"))


_COLUMNS: tuple[Any, ...] = (
    User.id,
    User.login,
    User.email,
    User.email_confirmed_at,
    User.unconfirmed_email,
)
_ACCOUNTS: Select[Any] = select(*_COLUMNS).where(User.state != UserState.DELETED)


def find(db: Session | Connection, user_id: int, *, lock: bool = False) -> WaitingAddress | None:
    """Return the address that a user has to confirm, or None.

    lock: lock the user until the transaction ends.
    """
    if lock:
        lock_account(db, user_id)
    row = db.execute(_ACCOUNTS.where(User.id == user_id)).first()
    if row is None:
        return None
    never_confirmed = row.email if row.email_confirmed_at is None else None
    address = row.unconfirmed_email or never_confirmed
    if address is None:
        return None
    return _waiting(row, address)


def create_token(secret: str, waiting: WaitingAddress, now: datetime) -> str:
    """Return a token that confirms the address, valid for `TTL`. secret: session.secret."""
    return signed_tokens.create(secret, _PURPOSE, waiting.user_id, now + TTL, _state(waiting))


def verify_token(
    db: Session | Connection, secret: str, token: str, now: datetime, *, lock: bool = False
) -> WaitingAddress | None:
    """Return the address that a token confirms, or None if it is forged, expired or used.

    lock: lock the account until the transaction ends.
    """
    find_waiting = partial(find, db, lock=lock)
    return signed_tokens.verify(secret, _PURPOSE, token, now, find_waiting, _state)


def _state(waiting: WaitingAddress) -> tuple[str, str, str]:
    # The time, so that an address that comes back does not make a used token valid again.
    confirmed_at = "" if waiting.confirmed_at is None else waiting.confirmed_at.isoformat()
    return waiting.address, waiting.current or "", confirmed_at


def send_link(
    db: Session,
    user_id: int,
    address: str,
    now: datetime,
    *,
    url: str,
    language: str,
    next_path: str | None = None,
) -> None:
    """Queue the email with the link.

    url: of the page that it leads to; language: of its text; next_path: where the page goes on.
    """
    data = {"url": url, "language": language}
    if next_path is not None:
        data["next"] = next_path
    mails.enqueue(db, MailKind.EMAIL_CONFIRMATION, address, now, user_id=user_id, data=data)


def confirm(db: Session, waiting: WaitingAddress, now: datetime) -> None:
    """Make the address the account's own, and tell its former address of that.

    waiting: locked. Raises AlreadyTaken if another account has got the address in the meantime; the
    address goes on waiting then.
    """
    _use(db, waiting, now, actor_id=waiting.user_id)


def confirm_as_admin(db: Session, login: str, now: datetime) -> str:
    """Confirm the address of a user at the command line, and return it.

    Raises NotFound, AlreadyTaken, or Conflict if nothing has to be confirmed.
    """
    account = accounts.find(db, login)
    waiting = find(db, account.id, lock=True)
    if waiting is None:
        raise Conflict(f"{account.login} has no email address that has to be confirmed.")
    _use(db, waiting, now, actor_id=None)
    actions.record(db, Action(AdminAction.USER_EMAIL_CONFIRMED, None, now, account.id))
    return waiting.address


def change_as_admin(db: Session, user_id: int, email: str, now: datetime) -> None:
    """Change the address of a user at the command line; it counts as confirmed.

    Raises Invalid for an address that is not valid, AlreadyTaken, or Conflict if the user is
    deleted.
    """
    email = accounts.check_email(email)
    lock_account(db, user_id)
    row = db.execute(_ACCOUNTS.where(User.id == user_id)).first()
    if row is None:
        raise Conflict(Message("The account is deleted."))
    _use(db, _waiting(row, email), now, actor_id=None)


def correct(db: Session, actor_id: int, user_id: int, email: str, now: datetime) -> None:
    """Give an account that was never confirmed another address; it is locked.

    Raises Invalid for an address that is not valid or taken.
    """
    email = accounts.check_email(email)
    row = db.execute(_ACCOUNTS.where(User.id == user_id)).one()
    try:
        _set(db, _waiting(row, email), now, actor_id=actor_id, confirmed_at=None)
    except AlreadyTaken as error:
        raise Invalid(error.field, "is taken") from None


def confirm_current(db: Session, user_id: int, now: datetime) -> None:
    """Note that a user has got an email at the present address, which confirms it."""
    never = (User.id == user_id, User.email.is_not(None), User.email_confirmed_at.is_(None))
    db.execute(update_columns(User, email_confirmed_at=now).where(*never))


def change(
    db: Session,
    user_id: int,
    email: str,
    now: datetime,
    *,
    must_confirm: bool,
    may_mail: Callable[[str], bool],
) -> str | None:
    """Change the address of a user, or let the new one wait until it is confirmed.

    must_confirm: else it is used at once, and does not count as confirmed, for nobody did that;
    may_mail: counts an email, which tells the present address; returns whether it may be sent.
    An address that was never confirmed is replaced at once. The present address takes back a change
    that waits. Returns the address that a link has to be sent to, or None.
    Raises Invalid for an address that is not valid or taken, NotFound if the user was deleted.
    """
    email = accounts.check_email(email)
    lock_account(db, user_id)
    row = db.execute(_ACCOUNTS.where(User.id == user_id)).first()
    if row is None:
        raise NotFound(Message("The account is deleted."))
    if email == row.email:
        db.execute(update_columns(User, unconfirmed_email=None).where(User.id == user_id))
        return None
    try:
        _check_available(db, user_id, email)
        if not must_confirm:
            changed = _waiting(row, email)
            _set(db, changed, now, actor_id=user_id, confirmed_at=None)
            if row.email_confirmed_at is not None and may_mail(row.email):
                _tell_former(db, changed, now)
            return None
        if row.email is not None and row.email_confirmed_at is None:
            _update(db, user_id, now, email=email, email_key=email_key(email))
        else:
            _update(db, user_id, now, unconfirmed_email=email)
    except AlreadyTaken as error:
        raise Invalid(error.field, "is taken") from None
    return email


def _waiting(row: Any, address: str) -> WaitingAddress:
    return WaitingAddress(row.id, row.login, address, row.email, row.email_confirmed_at)


def _use(db: Session, new: WaitingAddress, now: datetime, *, actor_id: int | None) -> None:
    """Set a confirmed address, and tell the former one. actor_id: None at the command line."""
    _set(db, new, now, actor_id=actor_id, confirmed_at=now)
    if new.current != new.address and new.confirmed_at is not None:
        _tell_former(db, new, now)
    events.record(db, EventType.USER_CONFIRMED, now, actor_id=actor_id, user_id=new.user_id)


def _set(
    db: Session,
    new: WaitingAddress,
    now: datetime,
    *,
    actor_id: int | None,
    confirmed_at: datetime | None,
) -> None:
    _check_available(db, new.user_id, new.address)
    _update(
        db,
        new.user_id,
        now,
        email=new.address,
        email_key=email_key(new.address),
        email_confirmed_at=confirmed_at,
        unconfirmed_email=None,
        **refusals.NONE,
    )
    if new.current != new.address:
        events.record(db, EventType.USER_UPDATED, now, actor_id=actor_id, user_id=new.user_id)


def _tell_former(db: Session, new: WaitingAddress, now: datetime) -> None:
    if new.current is not None:
        mails.enqueue(db, MailKind.EMAIL_CHANGED, new.current, now, user_id=new.user_id)


def _update(db: Session, user_id: int, now: datetime, **columns: Any) -> None:
    statement = update_columns(User, updated_at=now, **columns).where(User.id == user_id)
    try:
        # With rows, so that it is sent now and not together with a later statement.
        db.execute(statement.returning(User.id)).one()
    except IntegrityError:
        # Another transaction has taken the address since it was checked.
        raise AlreadyTaken("email", _TAKEN) from None


def _check_available(db: Session, user_id: int, email: str) -> None:
    is_taken = exists().where(User.email_key == email_key(email), User.id != user_id)
    if db.scalar(select(is_taken)):
        raise AlreadyTaken("email", _TAKEN)
