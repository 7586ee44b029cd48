"""Accounts that administrators make for others, with a password or with a link to choose one."""

from collections.abc import Mapping
from datetime import datetime, timedelta

from sqlalchemy import select
from sqlalchemy.orm import Session

from ...cache.invalidation import update_columns
from ...errors import AlreadyTaken, Invalid, NotFound
from ...models import AdminAction, MailKind, Role, User
from ...queries.invitations import is_open
from ...queries.user_locks import lock_account
from ...text.email_addresses import email_key
from ...text.messages import Message
from .. import mails
from ..moderation import actions
from ..moderation.actions import Action
from . import accounts, admin_edit, email_confirmation, login_names, password_reset
from .accounts import Account
from .invitees import Invitee, invalid_entry, make_login
from .password_reset import ResetAccount

TTL = timedelta(days=7)
"""For how long the link works. *I forgot my password* sends another one."""


def add(
    db: Session,
    actor_id: int | None,
    now: datetime,
    login: str,
    password: str | None,
    *,
    email: str | None = None,
    name: str = "",
    role: Role = Role.MEMBER,
) -> Account:
    """Add a user and return the account.

    actor_id: the administrator, None at the command line; password: None: the user chooses one by a
    link, which confirms the address, too. Raises as `accounts.create` does.
    """
    is_confirmed = password is not None
    account = accounts.create(
        db, login, password, email=email, name=name, role=role, is_confirmed=is_confirmed
    )
    details = {"role": str(account.role)}
    actions.record(db, Action(AdminAction.USER_ADDED, actor_id, now, account.id, details=details))
    return account


def invite(
    db: Session, actor_id: int, now: datetime, invitee: Invitee, role: Role = Role.MEMBER
) -> ResetAccount:
    """Add a user without a password, and return what a link to choose one is made of.

    Somebody who has not chosen one yet is invited again, and keeps login and role. Raises Invalid
    for `people` if the login or the address is of another account.
    """
    invited = _waiting(db, invitee.email)
    if invited is not None:
        _keep(db, invited.id, now)
        return invited
    login = invitee.login or make_login(invitee.email, lambda login: _is_free(db, login))
    try:
        account = add(db, actor_id, now, login, None, email=invitee.email, role=role)
    except AlreadyTaken as error:
        # Perhaps by the same form, a moment ago.
        if (invited := _waiting(db, invitee.email)) is not None:
            return invited
        taken = login if error.field == "login" else invitee.email
        raise invalid_entry(taken, Message("has an account already")) from None
    return _account(db, account.id)


def invite_again(
    db: Session, actor_id: int, now: datetime, *, login: str, email: str
) -> ResetAccount:
    """Return what a new link for an open invitation is made of, which may get another address.

    A link to the former address works no longer. Raises NotFound without such an invitation,
    Invalid for an address that is not valid or taken.
    """
    user_id = _locked(db, now, login)
    if user_id is None:
        raise NotFound(Message("This invitation is not open anymore."))
    if email_key(email) != email_key(_account(db, user_id).email):
        email_confirmation.correct(db, actor_id, user_id, email, now)
        details = {"changed": ["email"]}
        actions.record(db, Action(AdminAction.USER_EDITED, actor_id, now, user_id, details=details))
    _keep(db, user_id, now)
    return _account(db, user_id)


def withdraw(db: Session, actor_id: int, now: datetime, login: str) -> bool:
    """Delete the account of an open invitation, and free its login; return whether there was one.

    Raises Conflict for the last admin.
    """
    user_id = _locked(db, now, login)
    if user_id is None:
        return False
    accounts.delete(db, login, actor_id=actor_id)
    login_names.free(db, user_id)
    return True


def send_link(db: Session, account: ResetAccount, now: datetime, data: Mapping[str, str]) -> None:
    """Send the link to the address of an account. data: `url` of its page, and `language`."""
    mails.enqueue(db, MailKind.INVITATION, account.email, now, user_id=account.id, data=data)


def create_token(secret: str, account: ResetAccount, now: datetime) -> str:
    """Return the token of the link, for the page that sets a password. secret: session.secret."""
    return password_reset.create_reset_token(secret, account, now, ttl=TTL)


def choose_login(db: Session, now: datetime, account: ResetAccount, login: str) -> None:
    """Give somebody who was invited the login that they choose. Raises Invalid, as a sign-up."""
    if login == account.login:
        return
    login_names.check_own_login(login)
    try:
        admin_edit.change_login(db, now, account.id, account.login, login)
    except AlreadyTaken as error:
        raise Invalid(error.field, "is taken") from None


def _locked(db: Session, now: datetime, login: str) -> int | None:
    """Return the account of an open invitation, locked; None without one."""
    user_id: int | None = db.scalar(select(User.id).where(User.login_key == login.lower()))
    if user_id is None:
        return None
    lock_account(db, user_id)
    return user_id if is_open(db.connection(), login, now - TTL) else None


def _keep(db: Session, user_id: int, now: datetime) -> None:
    """Keep an account as long as its new link is valid."""
    db.execute(update_columns(User, updated_at=now).where(User.id == user_id))


def _is_free(db: Session, login: str) -> bool:
    return db.scalar(select(User.id).where(User.login_key == login.lower())) is None


def _waiting(db: Session, email: str) -> ResetAccount | None:
    """Return the account with this address that has no password yet; None without one."""
    of_address = User.email_key == email_key(email), User.password_hash.is_(None)
    user_id = db.scalar(select(User.id).where(*of_address))
    return None if user_id is None else password_reset.find_by_id(db, user_id)


def _account(db: Session, user_id: int) -> ResetAccount:
    account = password_reset.find_by_id(db, user_id)
    assert account is not None, "the account is there"  # noqa: S101
    return account
