"""Silencing and warning users.

A silenced user may only read. What holds now stands in the user's row, where it ends by the clock;
`restrictions` has the history. The caller has locked the user's row.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from sqlalchemy import ColumnElement, Row, or_, select
from sqlalchemy.orm import Session

from ... import clock
from ...cache import invalidation
from ...clock import rfc3339_or_none
from ...db.execution import SqlConnection
from ...db.statements import insert_row, update_of, with_row_locks
from ...errors import Invalid
from ...models import (
    EventType,
    Restriction,
    RestrictionKind,
    SweepAction,
    User,
    UserState,
    state_at,
)
from ...models.user import MODERATORS
from ...queries.rows import UserRow
from .. import mails
from ..accounts import accounts, revocation
from ..accounts.accounts import Account
from . import actions, notices, sweeps
from .actions import Action
from .notices import Notice

BATCH_SIZE = 100
"""Users whose silences are ended in a row."""
_RECENT = timedelta(days=7)


class HiddenPosts(StrEnum):
    """Which posts of a silenced user are hidden: RECENT are those of the last seven days."""

    NONE = "none"
    RECENT = "recent"
    ALL = "all"


def silence_by_form(
    db: Session, actor_id: int | None, now: datetime, user: UserRow, values: Mapping[str, Any]
) -> None:
    """Silence a user as a form says: reason, days or until, note, hide_posts. Raises Invalid."""
    days, until, reason = values["days"], values["until"], values["reason"]
    if days is not None and until is not None:
        raise Invalid("days", "cannot be given together with until")
    if until is not None and until <= now:
        raise Invalid("until", "must be in the future")
    if days is not None:
        until = now + timedelta(days=days)
    silence(db, actor_id, now, user, reason=reason, until=until, note=values["note"])
    hide_posts = HiddenPosts(values["hide_posts"])
    if hide_posts is not HiddenPosts.NONE:
        since = now - _RECENT if hide_posts is HiddenPosts.RECENT else None
        action = SweepAction.HIDE
        sweeps.order(db, actor_id, now, user.user_id, action, since=since, reason=reason)


def silence(
    db: Session,
    actor_id: int | None,
    now: datetime,
    user: UserRow,
    *,
    reason: str,
    until: datetime | None,
    note: str = "",
    review_id: int | None = None,
) -> None:
    """Let a user only read, and tell them why and until when. It replaces an earlier silence.

    actor_id: None at the command line; reason: shown to the user; until: None for no end; note: for
    moderators only. With the values of the present silence nothing changes; a new note alone is
    kept in the history, and nobody is told.
    """
    is_blocked = state_at(user.state, user.blocked_until, now) == UserState.BLOCKED
    is_same = is_blocked and (user.blocked_reason, user.blocked_until) == (reason, until)
    before = {"reason": user.blocked_reason, "until": rfc3339_or_none(user.blocked_until)}
    data = {"until": rfc3339_or_none(until)}
    action = Action(
        EventType.USER_SILENCED,
        actor_id,
        now,
        user.user_id,
        reason=reason,
        data=data,
        details={**data, **({"before": before} if is_blocked else {})},
        until=until,
        email=mails.confirmed_email(user),
    )
    if not is_same:
        _silence(db, action)
    elif not note or db.scalar(select(Restriction.note).where(*_holds(action))) == note:
        return
    else:
        _close_entry(db, action)
    _insert(db, RestrictionKind.SILENCE, action, note, until=until, review_id=review_id)


def silence_at_least(
    db: Session,
    actor_id: int | None,
    now: datetime,
    user: UserRow,
    *,
    reason: str,
    until: datetime,
    review_id: int,
) -> None:
    """Silence a user by the decision on a review; a silence that ends later stays.

    The user is told the reason, and when the silence that holds ends.
    """
    is_blocked = state_at(user.state, user.blocked_until, now) == UserState.BLOCKED
    if is_blocked and (user.blocked_until is None or user.blocked_until >= until):
        notice = Notice(EventType.USER_SILENCED, reason, until=user.blocked_until)
        notices.notify(db, now, [user.user_id], notice)
        return
    silence(db, actor_id, now, user, reason=reason, until=until, review_id=review_id)


def end_silence(
    db: Session, actor_id: int | None, now: datetime, user: UserRow, *, reason: str | None = None
) -> None:
    """Let a blocked user write again, and tell them. For any other user nothing changes."""
    if user.state != UserState.BLOCKED:
        return
    event_type, email = EventType.USER_UNSILENCED, mails.confirmed_email(user)
    action = Action(event_type, actor_id, now, user.user_id, reason=reason, email=email)
    _close_entry(db, action)
    _end_silence(db, action)


def due(db: SqlConnection, now: datetime, after: int = 0) -> Sequence[Row[Any]]:
    """Return users whose silence has ended by the clock, with their ids, without a lock.

    At most BATCH_SIZE. after: only those with a higher id.
    """
    query = select(User.id).where(*_is_due(now), User.id > after)
    return db.execute(query.order_by(User.id).limit(BATCH_SIZE)).all()


def end_expired(db: Session, now: datetime, user_id: int) -> None:
    """Tidy up after a silence that has ended by the clock, and tell the user."""
    query = select(User.id).where(*_is_due(now), User.id == user_id)
    if db.scalar(with_row_locks(query, User)) is not None:
        _end_silence(db, Action(EventType.USER_UNSILENCED, None, now, user_id))


def _is_due(now: datetime) -> tuple[ColumnElement[bool], ...]:
    return (User.state == UserState.BLOCKED, User.blocked_until <= now)


def warn(
    db: Session,
    actor_id: int | None,
    now: datetime,
    user: UserRow,
    *,
    reason: str,
    note: str = "",
    topic_id: int | None = None,
    reply_id: int | None = None,
) -> None:
    """Warn a user, perhaps about a topic, or a reply in one."""
    event_type = EventType.USER_WARNED
    action = Action(event_type, actor_id, now, user.user_id, topic_id, reply_id, reason=reason)
    actions.record(db, action)
    _insert(db, RestrictionKind.WARNING, action, note, topic_id=topic_id, reply_id=reply_id)


def silence_without_reason(db: Session, login: str) -> Account:
    """Let a user only read, without an end and a word to them (`user block`).

    Raises NotFound, or Conflict if the user is deleted or is the last admin.
    """
    accounts.check_not_last_admin(db, login)
    user_id = accounts.lock(db, login).user_id
    action = Action(EventType.USER_SILENCED, None, clock.now(), user_id, data={"until": None})
    _silence(db, action)
    return accounts.find(db, login)


def end_silence_by_login(db: Session, login: str, *, reason: str | None = None) -> Account:
    """Let a blocked user write again, as an administrator does at the command line.

    Raises NotFound, or Conflict if the user is deleted.
    """
    end_silence(db, None, clock.now(), accounts.lock(db, login), reason=reason)
    return accounts.find(db, login)


def _silence(db: Session, action: Action) -> None:
    _close_entry(db, action)
    _set_state(db, action, UserState.BLOCKED)
    revocation.revoke_at_applications_of(db, action.user_id or 0, action.at)
    actions.record(db, action)


def _end_silence(db: Session, action: Action) -> None:
    _set_state(db, action, UserState.ACTIVE)
    actions.record(db, action)


def _insert(
    db: Session, kind: RestrictionKind, action: Action, note: str, **columns: datetime | int | None
) -> None:
    text = {"kind": str(kind), "reason": action.reason, "note": note or None}
    by = {"user_id": action.user_id, "by_id": action.actor_id, "started_at": action.at}
    insert_row(db, Restriction, **text, **by, **columns)


def _close_entry(db: Session, action: Action) -> None:
    """Note in the history that the silence that holds now ends."""
    lifted = {"lifted_at": action.at, "lifted_by_id": action.actor_id}
    db.execute(update_of(Restriction).where(*_holds(action)).values(**lifted))


def _holds(action: Action) -> tuple[ColumnElement[bool], ...]:
    """Return the conditions of the entry of the silence that holds now."""
    return (
        Restriction.user_id == action.user_id,
        Restriction.kind == RestrictionKind.SILENCE,
        Restriction.lifted_at.is_(None),
        or_(Restriction.until.is_(None), Restriction.until > action.at),
    )


def _set_state(db: Session, action: Action, state: UserState) -> None:
    blocked = (
        (action.at, action.until, action.reason) if state is UserState.BLOCKED else (None,) * 3
    )
    columns = dict(zip(("blocked_at", "blocked_until", "blocked_reason"), blocked, strict=True))
    changed = invalidation.update_columns(User, state=state, updated_at=action.at, **columns)
    role = db.scalar(changed.where(User.id == action.user_id).returning(User.role))
    if role in MODERATORS:
        invalidation.invalidate(db, invalidation.DISPLAY_NAMES)  # pages mark who is staff
