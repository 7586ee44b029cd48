"""What an administrator changes of somebody's account: login, name and email address."""

from datetime import datetime
from typing import Any

from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from ...cache.invalidation import update_columns
from ...errors import AlreadyTaken
from ...models import AdminAction, EventType, JobKind, User
from ...queries.user_locks import lock_account
from ...search.normal_form import name_key
from .. import events, jobs
from ..moderation import actions
from ..moderation.actions import Action
from ..posts.short_texts import validate_name
from . import accounts, email_confirmation
from .account_work import AccountTask
from .accounts import Account
from .login_names import check_login


def edit(
    db: Session,
    now: datetime,
    login: str,
    *,
    new_login: str | None = None,
    name: str | None = None,
    email: str | None = None,
) -> Account:
    """Change an account at the command line, and return it; None: that stays.

    new_login: the former one is free for others; a job gives the links of mentions the new one, and
    texts stay; email: counts as confirmed, and the former address is told.
    Raises NotFound, Conflict if the user is deleted, AlreadyTaken, Invalid for what is not valid.
    """
    lock_account(db, accounts.find(db, login).id)
    user = accounts.lock(db, login)
    user_id = user.user_id
    values: dict[str, Any] = {}
    if name is not None:
        values["name"] = validate_name("name", name, accounts.MAX_NAME)
        values["name_key"] = name_key(values["name"])
    if values:
        db.execute(update_columns(User, updated_at=now, **values).where(User.id == user_id))
    if new_login is not None and new_login != user.user_login:
        change_login(db, now, user_id, user.user_login, new_login)
        values["login"] = new_login
    if values:
        events.record(db, EventType.USER_UPDATED, now, actor_id=None, user_id=user_id)
    if email is not None:
        email_confirmation.change_as_admin(db, user_id, email, now)
        values["email"] = email
    # The log cannot be changed, and an erasure must leave nothing: it has no names.
    fields = [field for field in ("login", "name", "email") if field in values]
    details = {"changed": fields}
    if fields:
        actions.record(db, Action(AdminAction.USER_EDITED, None, now, user_id, details=details))
    return accounts.find(db, new_login or login)


def change_login(db: Session, now: datetime, user_id: int, login: str, new_login: str) -> None:
    """Give a user another login; the worker updates the links of mentions.

    Raises AlreadyTaken, and Invalid for one that is not valid.
    """
    check_login(new_login)
    if new_login.lower() != login.lower():
        accounts.check_available(db, new_login, None)
    columns = {"login": new_login, "login_key": new_login.lower()}
    try:
        # With rows, so that it is sent now and not together with a later statement.
        changed = update_columns(User, updated_at=now, **columns).where(User.id == user_id)
        db.execute(changed.returning(User.id)).one()
    except IntegrityError:
        raise AlreadyTaken("login", "The login is taken.") from None
    work = {
        "task": str(AccountTask.RENAME),
        "login": login,
        "new_login": new_login,
        "addresses": [],
    }
    jobs.enqueue(db, JobKind.ACCOUNT, now, work, user_id)
