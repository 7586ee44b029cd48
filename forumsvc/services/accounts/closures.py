"""Closing one's own account: it is erased some days later, unless the person takes that back."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Row, select
from sqlalchemy.orm import Session

from ...cache.invalidation import update_columns
from ...db.execution import SqlConnection
from ...errors import Conflict
from ...models import AdminAction, MailKind, User
from .. import mails
from ..moderation import actions
from ..moderation.actions import Action
from . import accounts
from .erasure.erasure import PostsErasure, erase_user

BATCH_SIZE = 20
"""Accounts that are closed in a row, each in a transaction of its own."""


def begin(
    db: Session,
    now: datetime,
    login: str,
    *,
    after: timedelta,
    posts: PostsErasure,
    url: str,
    language: str,
) -> None:
    """Have a user erased after a time. They get an email, if their address is confirmed.

    If they are to be erased already, that stays, but for `posts`. posts: what becomes of their
    posts; url: of the page to log in; language: of the email.
    Raises Conflict for the last active admin, and if the user is deleted.
    """
    accounts.check_not_last_admin(db, login)
    user = accounts.lock(db, login)
    is_new, closes_at = user.closes_at is None, user.closes_at or now + after
    changed = update_columns(User, closes_at=closes_at, closure_posts=str(posts))
    db.execute(changed.where(User.id == user.user_id))
    if not is_new:
        return
    details = {"posts": str(posts)}
    who = user.user_id, now, user.user_id
    actions.record(db, Action(AdminAction.USER_CLOSURE_REQUESTED, *who, details=details))
    email = mails.confirmed_email(user)
    if email is not None:
        data = {"day": closes_at.date().isoformat(), "url": url, "language": language}
        kind = MailKind.ACCOUNT_CLOSING
        mails.enqueue(db, kind, email, now, user_id=user.user_id, data=data)


def take_back(db: Session, now: datetime, user_id: int) -> bool:
    """Let an account stay that is to be closed; return whether it was."""
    nothing = update_columns(User, closes_at=None, closure_posts=None)
    closing = nothing.where(User.id == user_id, User.closes_at.is_not(None))
    if db.execute(closing.returning(User.id)).first() is None:
        return False
    actions.record(db, Action(AdminAction.USER_CLOSURE_WITHDRAWN, user_id, now, user_id))
    return True


def due(db: SqlConnection, now: datetime, after: int = 0) -> Sequence[Row[Any]]:
    """Return users who are to be erased by now, up to BATCH_SIZE, without a lock.

    after: only those with a higher id.
    """
    columns: list[Any] = [User.id, User.closure_posts]
    is_over = (User.closes_at.is_not(None), User.closes_at <= now, User.id > after)
    return db.execute(select(*columns).where(*is_over).order_by(User.id).limit(BATCH_SIZE)).all()


def end(db: Session, now: datetime, closing: Row[Any], secret: str) -> None:
    """Erase a user who closed their account, and send them the last email.

    closing: as `due` returned it; secret: as of `erase_user`.
    Raises Conflict if they took it back meanwhile, and for the last active admin.
    """
    user_id, posts = closing.id, PostsErasure(closing.closure_posts)
    before = erase_user(db, user_id, now, user_id, posts=posts, secret=secret)
    is_over = before.closes_at is not None and before.closes_at <= now
    if not is_over or before.closure_posts != posts:
        # The transaction is rolled back. It is known here only: `erase_user` takes the locks.
        raise Conflict("They have changed their mind.")
    if before.email is not None and before.email_confirmed_at is not None:
        data = {"login": before.login}
        mails.enqueue(db, MailKind.ACCOUNT_CLOSED, before.email, now, data=data)
