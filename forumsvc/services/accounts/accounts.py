"""Accounts: creating and deleting users, their role, state and password."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, and_, exists, or_, select
from sqlalchemy.orm import Session, aliased

from ...cache.invalidation import update_columns
from ...clock import now
from ...db.execution import SqlConnection
from ...db.statements import insert_or_ignore
from ...errors import AlreadyTaken, Conflict, Invalid, NotFound
from ...models import AdminAction, EventType, Role, User, UserState, state_at
from ...process.passwords import MAX_LENGTH, hash_password
from ...queries import users
from ...queries.rows import UserRow
from ...queries.user_locks import lock_users
from ...search.normal_form import name_key
from ...text.email_addresses import MAX_EMAIL, NO_MAIL, NOT_AN_EMAIL, ascii_address, email_key
from ...text.ids import is_login
from ...text.messages import Message
from ...text.text_rules import control_error
from ...text.unicode_forms import opaque_string
from .. import events, mails
from ..access import post_networks
from ..moderation import actions, notices
from ..moderation.actions import Action
from ..moderation.notices import Notice
from ..notifications import devices, mail_choices
from ..posts.short_texts import validate_line, validate_name
from . import data_export_requests, profiles, revocation
from .login_names import check_login

MIN_PASSWORD = 10
MAX_NAME = 100


@dataclass(frozen=True, slots=True)
class Account:
    """A user as an administrator sees them."""

    id: int
    login: str
    role: Role
    state: UserState


def check_email(email: str) -> str:
    """Return `email` without surrounding blanks.

    Raises Invalid if it is not an address, or no email could be sent to it.
    """
    email = validate_line("email", email, MAX_EMAIL)
    if email_key(email) is None:
        raise Invalid("email", NOT_AN_EMAIL)
    if ascii_address(email) is None:
        raise Invalid("email", NO_MAIL)
    return email


def check_password(password: str, *, field: str = "password") -> str:
    """Return a password in the form that is hashed (`opaque_string`).

    Raises Invalid for `field` if that is too short or too long, or has control characters.
    """
    password = opaque_string(password)
    if not MIN_PASSWORD <= len(password) <= MAX_LENGTH:
        lengths = {"least": MIN_PASSWORD, "most": MAX_LENGTH}
        raise Invalid(field, Message("must have %(least)d to %(most)d characters", **lengths))
    if reason := control_error(password):
        raise Invalid(field, reason)
    return password


def create(
    db: Session,
    login: str,
    password: str | None,
    *,
    email: str | None = None,
    name: str = "",
    role: Role = Role.MEMBER,
    is_confirmed: bool = True,
    awaits_approval: bool = False,
) -> Account:
    """Add an active user and return the account.

    password: None: the user cannot log in by one yet; name: the display name; empty: the login is
    displayed; is_confirmed: whether the e-mail counts as confirmed (`email_confirmation`);
    awaits_approval: whether the user may only read until a moderator has approved the account.
    Raises Invalid for a login, password, e-mail or name that is not valid, AlreadyTaken where
    another user has the login or the e-mail, whatever the case.
    """
    values: dict[str, Any] = {
        "login": check_login(login),
        "login_key": login.lower(),
        "name": validate_name("name", name, MAX_NAME),
        "role": role,
        "awaits_approval": awaits_approval,
    }
    values["name_key"] = name_key(values["name"])
    if email is not None:
        values["email"] = check_email(email)
        values["email_key"] = email_key(values["email"])
    # Before the first statement, which takes the write lock on SQLite.
    if password is not None:
        values["password_hash"] = hash_password(check_password(password))
    values["created_at"] = values["updated_at"] = now()
    values |= mail_choices.columns(mails.defaults(db), values["created_at"])
    if email is not None and is_confirmed:
        values["email_confirmed_at"] = values["created_at"]
    if not insert_or_ignore(db, User, **values):
        check_available(db, login, values.get("email"))
        raise AlreadyTaken("login", "The login is taken.")  # by an account that is gone since
    account = find(db, login)
    # Caused by an administrator, or by the user who signs up.
    events.record(db, EventType.USER_CREATED, now(), actor_id=None, user_id=account.id)
    return account


def check_available(db: SqlConnection, login: str, email: str | None) -> None:
    """Raise AlreadyTaken where another user has the login or the e-mail, whatever the case."""
    if db.scalar(select(exists().where(User.login_key == login.lower()))):
        raise AlreadyTaken("login", "The login is taken.")
    key = None if email is None else email_key(email)
    if key is not None and db.scalar(select(exists().where(User.email_key == key))):
        raise AlreadyTaken("email", "The e-mail is taken.")


def find(db: SqlConnection, login: str) -> Account:
    """Return the account with this login, ignoring case. Raises NotFound."""
    columns = select(User.id, User.login, User.role, User.state)
    row = db.execute(columns.where(_has_login(login))).one_or_none()
    if row is None:
        raise NotFound(f"There is no user {login!r}.")
    return Account(row.id, row.login, Role(row.role), UserState(row.state))


def in_order(db: SqlConnection, logins: Iterable[str]) -> list[str]:
    """Return logins by the ids of their users, the order in which to lock. Raises NotFound."""
    return sorted(logins, key=lambda login: find(db, login).id)


def lock(db: Session, login: str) -> UserRow:
    """Return a user's row, locked. Raises NotFound, or Conflict if the user is deleted."""
    user = users.by_id(db, find(db, login).id, lock=True)
    if user is None or user.state == UserState.DELETED:
        raise Conflict(f"The user {login!r} is deleted.")
    return user


def set_role(db: Session, actor_id: int | None, now: datetime, login: str, role: Role) -> Account:
    """Set the role of a user, who is notified of it.

    actor_id: the administrator who does it, None at the command line.
    Raises NotFound, or Conflict if the user is deleted, is the last admin, or is to be an admin and
    is silenced.
    """
    if role is Role.ADMIN:
        _check_not_silenced(lock(db, login), now)
    else:
        check_not_last_admin(db, login)
    before = find(db, login)
    account = _update_user(db, login, role=role)
    if before.role is not role:
        details = {"before": {"role": before.role}, "after": {"role": role}}
        event_type, data = EventType.USER_ROLE_CHANGED, {"role": role}
        action = Action(event_type, actor_id, now, account.id, data=data, details=details)
        actions.record(db, action)
        if account.id != actor_id:
            notices.notify(db, now, [account.id], Notice(f"role.{role}", None))
    return account


def set_password(db: Session, login: str, password: str) -> Account:
    """Set the password of a user, as `set_password_hash`. Raises Invalid for one that is not valid.

    It is hashed here: only for a transaction that has locked nothing yet.
    """
    return set_password_hash(db, login, hash_password(check_password(password)))


def set_password_hash(db: Session, login: str, password_hash: str) -> Account:
    """Set the password of a user and revoke their sessions and tokens (`revocation.revoke_all`).

    Raises NotFound, or Conflict if the user is deleted.
    """
    # Who knew the old password may have asked for another address.
    account = _update_user(db, login, password_hash=password_hash, unconfirmed_email=None)
    revocation.revoke_all(db, account.id, now())
    return account


def reset_password(db: Session, login: str, password: str) -> Account:
    """Set the password of a user as an administrator does: as `set_password`, and logged."""
    account = set_password(db, login, password)
    actions.record(db, Action(AdminAction.USER_PASSWORD_SET, None, now(), account.id))
    return account


def log_out_everywhere(db: Session, user_id: int) -> None:
    """Revoke all sessions and tokens of a user. The password stays valid."""
    # Wait for tokens that are being issued now; later ones find their grant revoked.
    lock_users(db, User.id == user_id)
    revocation.revoke_all(db, user_id, now())


def delete(db: Session, login: str, *, actor_id: int | None = None) -> tuple[Account, str]:
    """Delete a user: their e-mail, emails to them, profile, password and tokens. Texts stay.

    Their likes and follows stay, too, and all counters. Deleting a deleted user changes nothing.
    actor_id: the moderator who does it; None: at the command line, or the service.
    Returns the account, and the name of the avatar's file, which the caller removes after the
    commit (`profiles.erase`); empty for none. Raises NotFound, or Conflict for the last admin.
    """
    check_not_last_admin(db, login)
    account = find(db, login)
    if account.state is UserState.DELETED:
        return account, ""
    mails.delete_of_user(db, account.id)
    account = _update_user(
        db,
        login,
        state=UserState.DELETED,
        email=None,
        email_key=None,
        email_confirmed_at=None,
        unconfirmed_email=None,
        email_public=False,
        password_hash=None,
        closes_at=None,
        closure_posts=None,
    )
    revocation.revoke_all(db, account.id, now(), issued_by_admin=True)
    revocation.revoke_at_applications_of(db, account.id, now())
    post_networks.forget(db, account.id)
    devices.forget(db, account.id)
    data_export_requests.delete_of_user(db, account.id)
    actions.record(db, Action(EventType.USER_DELETED, actor_id, now(), account.id))
    return account, profiles.erase(db, account.id)


def approve(db: Session, user_id: int) -> None:
    """Let a user write whose account had to be approved."""
    db.execute(update_columns(User, awaits_approval=False).where(User.id == user_id))


def check_not_last_admin(db: Session, login: str) -> None:
    """Raise Conflict if a user is the last active admin; lock the user, with an admin all admins.

    The lock serializes two transactions that would each remove one of two admins. It is as strong
    as that of `lock_account`, which a removal needs.
    """
    is_admin = and_(User.role == Role.ADMIN, User.state == UserState.ACTIVE)
    columns: tuple[Any, ...] = (User.login, User.login_key, is_admin.label("is_admin"))
    asked = aliased(User)
    of_admin = exists().where(asked.login_key == _key_of(login), asked.role == Role.ADMIN)
    where = or_(_has_login(login), and_(is_admin, of_admin))
    query = select(*columns).where(where).order_by(User.id)
    admins = [row for row in db.execute(query.with_for_update()) if row.is_admin]
    if len(admins) == 1 and admins[0].login_key == login.lower():
        raise Conflict(
            Message(
                "%(login)s is the last active admin: give the role to another user first.",
                login=admins[0].login,
            )
        )


def _check_not_silenced(user: UserRow, now: datetime) -> None:
    """Raise Conflict if a user is silenced: of an admin nobody could end that."""
    state = state_at(user.state, user.blocked_until, now)
    if state == UserState.BLOCKED and user.role != Role.ADMIN:
        login = user.user_login
        raise Conflict(Message("%(login)s is silenced: end the silence first.", login=login))


def _update_user(db: Session, login: str, **values: Any) -> Account:
    """Set columns of a user who is not deleted, and return the changed account."""
    statement = update_columns(User, updated_at=now(), **values)
    not_deleted = statement.where(_has_login(login), User.state != UserState.DELETED)
    changed = db.execute(not_deleted.returning(User.id)).first()
    account = find(db, login)
    if changed is None:
        raise Conflict(f"The user {account.login!r} is deleted.")
    return account


def _has_login(login: str) -> ColumnElement[bool]:
    return User.login_key == _key_of(login)


def _key_of(login: str) -> str:
    # Only valid logins can match: the lower case of the Kelvin sign is an ASCII `k`.
    return login.lower() if is_login(login) else ""
