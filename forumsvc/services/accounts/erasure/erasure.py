"""Erasing a person: what is kept of them at the end, and the order that begins it.

`erase_user` takes the account away at once: login, name, addresses, profile, password, log-ins. The
background worker does the rest, which may be much, in small transactions (`steps`).
"""

from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import Row, select
from sqlalchemy.orm import Session

from ....cache.invalidation import update_columns
from ....db.statements import delete_of, insert_or_ignore, update_of
from ....errors import Conflict, NotFound
from ....models import (
    AccessBlock,
    AccessBlockKind,
    AccessBlockSeverity,
    AdminAction,
    EventType,
    JobKind,
    User,
    UserState,
    state_at,
)
from ....queries.user_locks import lock_account
from ....text.messages import Message
from ... import events, jobs
from ...access.values import email_digest, normal_email
from ...moderation import actions, reviews
from ...moderation.actions import Action
from .. import accounts
from ..account_work import AccountTask


class PostsErasure(StrEnum):
    """What becomes of the posts: KEEP, under the login `deleted-ID`; BLANK: a fixed line stands in
    place of title and text; DELETE: deleted as by a moderator, and the text cannot be restored.
    """

    KEEP = "keep"
    BLANK = "blank"
    DELETE = "delete"


REMOVED = Message("The author has removed this text.")
"""In place of the texts of somebody who had them removed, in the language of the site."""


def login_of_erased(user_id: int) -> str:
    """Return the login of an erased account, which nobody can choose."""
    return f"deleted-{user_id}"


def erase_user(
    db: Session,
    actor_id: int | None,
    now: datetime,
    user_id: int,
    *,
    posts: PostsErasure,
    secret: str,
    reason: str | None = None,
) -> Row[Any]:
    """Erase a person, in the caller's transaction; what takes long is queued for the worker.

    With the commit the account is deleted (as by `accounts.delete`), its login is `deleted-ID` and
    the former one is free. A job of the kind `account` removes the rest, photo files included: the
    caller removes no file. An account that is deleted already is erased all the same; one that is
    erased already again, for instance with other `posts`.

    actor_id: who does it: a moderator, the person, None at the command line;
    posts: what becomes of their posts; secret: `session.secret`, the key of the hash of the email
    address that the log keeps, and that an access block of the address keeps in its place; reason:
    for the log.
    Returns what the account was before. Raises NotFound, or Conflict for the last active admin and
    for the service's own account.
    """
    # A decision locks the review before the account, too.
    reviews.close_account_review(db, now, user_id)
    accounts.check_not_last_admin(db, _load(db, user_id).login)
    lock_account(db, user_id)  # its login may have changed meanwhile
    user = _load(db, user_id)
    if user.is_builtin:
        raise Conflict(f"{user.login} is the service itself.")
    # Anybody can write an address into the form: neither are strangers barred for it, nor is the
    # address replaced in the texts of others.
    is_confirmed = user.email is not None and user.email_confirmed_at is not None
    addresses = [user.email] if is_confirmed else []
    _keep_blocks(db, now, user, addresses, secret)
    account, avatar = accounts.delete(db, user.login, actor_id=actor_id)
    login = login_of_erased(user_id)
    if account.login != login:
        nothing = dict.fromkeys(("blocked_at", "blocked_until", "blocked_reason"))
        renamed = update_columns(
            User, login=login, login_key=login, updated_at=now, awaits_approval=False, **nothing
        )
        db.execute(renamed.where(User.id == user_id))
        events.record(db, EventType.USER_UPDATED, now, actor_id=actor_id, user_id=user_id)
    work = {
        "task": str(AccountTask.ERASE),
        "posts": str(posts),
        "login": user.login,
        "new_login": login,
        "addresses": addresses,
        "files": [avatar] if avatar else [],
    }
    jobs.enqueue(db, JobKind.ACCOUNT, now, work, user_id)
    known = [item for item in (user.email, user.unconfirmed_email) if item is not None]
    digests = [email_digest(secret, item) for item in known]
    details = {"posts": str(posts), "email_digests": digests}
    action = Action(AdminAction.USER_ERASED, actor_id, now, user_id, reason=reason, details=details)
    actions.record(db, action)
    return user


def _load(db: Session, user_id: int) -> Row[Any]:
    columns: tuple[Any, ...] = (
        *(User.id, User.login, User.email, User.unconfirmed_email, User.is_builtin),
        *(User.state, User.blocked_until, User.email_confirmed_at, User.closes_at),
        User.closure_posts,
    )
    row = db.execute(select(*columns).where(User.id == user_id)).one_or_none()
    if row is None:
        raise NotFound(f"There is no user {user_id}.")
    return row


def _keep_blocks(db: Session, now: datetime, user: Any, addresses: list[str], secret: str) -> None:
    """Let blocks of the person's addresses, and a block of the person, outlive the erasure.

    addresses: those that the person has confirmed.
    """
    is_email = AccessBlock.kind == AccessBlockKind.EMAIL
    for address in addresses:
        digest = email_digest(secret, address)
        known = select(AccessBlock.id).where(is_email, AccessBlock.value == digest)
        plain = is_email, AccessBlock.value == normal_email(address)
        if db.scalar(known) is None:
            db.execute(update_of(AccessBlock).where(*plain).values(value=digest))
        else:
            db.execute(delete_of(AccessBlock).where(*plain))
        if state_at(user.state, user.blocked_until, now) != UserState.BLOCKED:
            continue
        values: dict[str, Any] = {
            "kind": str(AccessBlockKind.EMAIL),
            "value": digest,
            "severity": str(AccessBlockSeverity.SIGN_UP),
            "reason": f"User {user.id} was blocked when they were erased.",
            "expires_at": user.blocked_until,
        }
        insert_or_ignore(db, AccessBlock, **values, created_at=now)
