"""The queue of the background worker: jobs, each claimed, done, tried again or given up.

A job is inserted in the transaction of its cause. `background.job_runner` claims it in another one,
in which its lock begins: others leave it alone until `locked_until`. What a job does must not
happen twice; so it is done in the transaction that moves or finishes the job, and only if `hold`
says that the job is still the claimer's own.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from types import SimpleNamespace
from typing import Any

from sqlalchemy import JSON, Select, String, and_, cast, literal, or_, select, text
from sqlalchemy.orm import Session, aliased

from ..db.base import UtcDateTime
from ..db.execution import SqlConnection
from ..db.expired_rows import ExpiredRows
from ..db.statements import (
    at_least_zero,
    delete_of,
    insert_of,
    insert_or_ignore,
    insert_row,
    update_of,
)
from ..models import Job, JobKind, JobState
from ..models.job import ONCE, STANDING

LOGGED = frozenset({JobKind.MAIL, JobKind.NOTIFICATION_MAIL})
"""The kinds whose jobs are kept for a while when they are done."""
_IN_ORDER = frozenset({JobKind.SWEEP, JobKind.ACCOUNT})
"""The kinds of which a job waits for the earlier ones with its key."""
CLOCKS_APART = timedelta(hours=1)
"""How far the clocks of two hosts may differ."""
_LONGEST_WAIT = timedelta(minutes=10)
"""For how long a job of `STANDING` waits at most; one that is due later had a wrong clock."""
_MOST_ERROR = 1_000
"""Characters of an error that are stored."""
_COLUMNS: tuple[Any, ...] = tuple(Job.__table__.c)

Claimed = Any
"""A job as `claim` returned it, with the columns of the table: its lock proves who claimed it."""


def enqueue(
    db: Session,
    kind: JobKind,
    now: datetime,
    data: Mapping[str, object],
    key: int | str | None = None,
) -> None:
    """Insert a job that is due at once. key: what it is about."""
    key = None if key is None else str(key)
    insert_row(db, Job, kind=str(kind), key=key, data=dict(data), due_at=now, created_at=now)


def enqueue_once(
    db: Session,
    kind: JobKind,
    ids: Select[Any],
    now: datetime,
    data: Mapping[str, object],
    where: Any = None,
) -> None:
    """Insert a job for each of the ids, for the kinds of `ONCE`.

    A job that is there begins anew with `data`, also one that is under way or given up. where:
    which of them; None: all.
    """
    rows = select(
        literal(str(kind)),
        cast(ids.subquery().c[0], String),
        literal(dict(data), JSON),
        *(literal(now, UtcDateTime), literal(now, UtcDateTime)),
    )
    names = ["kind", "key", "data", "due_at", "created_at"]
    # SQLite needs a WHERE before ON CONFLICT.
    insert = insert_of(Job, db.get_bind().dialect.name).from_select(
        names, rows.where(text("1 = 1"))
    )
    changed = {**_reset_columns(now), "data": insert.excluded.data, "locked_until": None}
    conflict: dict[str, Any] = {"index_elements": ["kind", "key"], "index_where": ONCE}
    db.execute(insert.on_conflict_do_update(**conflict, set_=changed, where=where))


def make_due(
    db: Session, kind: JobKind, ids: Select[Any], now: datetime, *, ends_pause: bool = False
) -> None:
    """Make the job of each of the ids due, which has no data; insert one where there is none.

    One that is under way keeps its lock: it has to look for what is new when it `hold`s itself, at
    its end. One that was given up begins anew. ends_pause: also those that wait after an attempt.
    """
    is_free = Job.locked_until.is_(None)
    may_begin = and_(is_free, or_(Job.attempts == 0, Job.state == JobState.FAILED))
    enqueue_once(db, kind, ids, now, {}, is_free if ends_pause else may_begin)


def _reset_columns(now: datetime) -> dict[str, object]:
    return {"due_at": now, "state": JobState.WAITING, "attempts": 0, "finished_at": None}


def enqueue_failed(
    db: Session, kind: JobKind, now: datetime, data: Mapping[str, object], key: str, error: str
) -> None:
    """Insert a job that is given up already. key: what it is about; error: why."""
    values = {"state": str(JobState.FAILED), "error": error[:_MOST_ERROR], "finished_at": now}
    insert_row(
        db, Job, kind=str(kind), key=key, data=dict(data), due_at=now, created_at=now, **values
    )


def insert_standing(db: Session, kind: JobKind, now: datetime, keys: Collection[str]) -> None:
    """Insert the jobs of a kind of `STANDING` that are not there yet, due at once."""
    for key in keys:
        insert_or_ignore(db, Job, kind=str(kind), key=key, data={}, due_at=now, created_at=now)


def count_due(
    db: SqlConnection,
    kind: JobKind,
    now: datetime,
    lock: timedelta,
    most: int,
    keys: Collection[str] = (),
) -> int:
    """Return how many jobs `claim` has to claim, at most `most`, without a lock."""
    return len(db.scalars(select(Job.id).where(*_is_due(kind, now, lock, keys)).limit(most)).all())


def claim(
    db: Session, kind: JobKind, now: datetime, lock: timedelta, keys: Collection[str] = ()
) -> Claimed | None:
    """Return the job of a kind that is due first, and keep it from others; None without one.

    lock: how long; keys: only a job with one of these; none: any. The attempt is counted at once:
    one during which the process dies counts, too.
    """
    due = (
        select(Job.id)
        .where(*_is_due(kind, now, lock, keys))
        .order_by(Job.due_at, Job.id)
        .limit(1)
        .with_for_update(skip_locked=True)
        # PostgreSQL could run a subquery once for each row, and find another job each time.
        .cte("due")
    )
    claimed = update_of(Job).where(Job.id.in_(select(due.c.id)))
    values = {"locked_until": now + lock, "attempts": Job.attempts + 1}
    row = db.execute(claimed.values(values).returning(*_COLUMNS)).one_or_none()
    return None if row is None else SimpleNamespace(**row._mapping)


def _is_free(now: datetime) -> Any:
    return or_(Job.locked_until.is_(None), Job.locked_until <= now)


def _is_due(kind: JobKind, now: datetime, lock: timedelta, keys: Collection[str]) -> Any:
    # A lock that ends much later was made by a clock that has been set back since.
    is_free = or_(_is_free(now), Job.locked_until > now + lock + CLOCKS_APART)
    too_late = Job.due_at > now + _LONGEST_WAIT + CLOCKS_APART
    is_due = or_(Job.due_at <= now, too_late) if kind in STANDING else Job.due_at <= now
    due = (Job.state == JobState.WAITING, Job.kind == kind, is_due, is_free)
    if keys:
        return (*due, Job.key.in_(keys))
    if kind not in _IN_ORDER:
        return due
    earlier = aliased(Job)
    is_behind = select(earlier.id).where(
        *(earlier.kind == kind, earlier.key == Job.key, earlier.id < Job.id),
        earlier.state == JobState.WAITING,
    )
    return (*due, ~is_behind.exists())


def hold(db: Session, job: Claimed) -> bool:
    """Return whether a job is still the claimer's own; lock it until the transaction ends."""
    return db.scalar(select(Job.id).where(*_is_held(job)).with_for_update()) is not None


def renew(
    db: Session, job: Claimed, now: datetime, lock: timedelta, **values: Any
) -> datetime | None:
    """Lock a job for longer; return until when, or None if it is not the claimer's own any more.

    The caller notes it in `job.locked_until` after the commit. values: columns to store with it.
    """
    longer = update_of(Job).where(*_is_held(job)).values(locked_until=now + lock, **values)
    return db.scalar(longer.returning(Job.locked_until))


def save_progress(
    db: Session, job: Claimed, data: Mapping[str, object], *, due_at: datetime | None = None
) -> None:
    """Store how far a job is, with all its attempts anew.

    due_at: free it, to go on then; None: the claimer goes on with it.
    """
    if due_at is not None:
        _release(db, job, data=dict(data), due_at=due_at, attempts=0)
    else:
        db.execute(update_of(Job).where(*_is_held(job)).values(data=dict(data), attempts=1))


def pause(db: Session, job: Claimed, due_at: datetime, error: str) -> None:
    """Free a job that goes on at `due_at`, and which `make_due` leaves alone. error: why."""
    _release(db, job, due_at=due_at, attempts=1, error=error[:_MOST_ERROR])


def finish(db: Session, job: Claimed, now: datetime) -> None:
    """Record that a job is done: delete it, or keep it as a log."""
    if job.kind in LOGGED:
        _release(db, job, state=JobState.DONE, finished_at=now, error=None)
    else:
        delete_claimed(db, job)


def delete_claimed(db: Session, job: Claimed) -> None:
    """Delete a claimed job, which leaves no trace."""
    db.execute(delete_of(Job).where(*_is_held(job)))


def release(db: Session, job: Claimed, due_at: datetime) -> None:
    """Free a job of the kinds of `STANDING`, whose work is done until `due_at`."""
    _release(db, job, due_at=due_at, attempts=0, error=None)


def release_untried(db: Session, job: Claimed, due_at: datetime, error: str | None = None) -> None:
    """Free a job that could not be tried, and is tried again at `due_at`; it counts no attempt.

    error: why, if that is to be listed.
    """
    why = {} if error is None else {"error": error[:_MOST_ERROR]}
    _release(db, job, attempts=at_least_zero(Job.attempts - 1), due_at=due_at, **why)


def fail(
    db: Session, job: Claimed, now: datetime, error: str, pauses: Sequence[timedelta]
) -> tuple[int, datetime | None]:
    """Record a failed attempt; return its number since the last progress, and when the next one is.

    pauses: after each attempt; after the one behind the last pause the job is given up: None. One
    of `STANDING` goes on with the last pause.
    """
    stored = db.scalar(select(Job.attempts).where(*_is_held(job)).with_for_update())
    attempt = max(1, stored or job.attempts)
    number = min(attempt, len(pauses)) if job.kind in STANDING else attempt
    due_at = None if number > len(pauses) else now + pauses[number - 1]
    ended = {"state": JobState.FAILED, "finished_at": now}
    values: dict[str, Any] = ended if due_at is None else {"due_at": due_at}
    _release(db, job, error=error[:_MOST_ERROR], **values)
    return attempt, due_at


def _release(db: Session, job: Claimed, **values: Any) -> None:
    db.execute(update_of(Job).where(*_is_held(job)).values(locked_until=None, **values))


def _is_held(job: Claimed) -> tuple[Any, ...]:
    return (Job.id == job.id, Job.locked_until == job.locked_until)


def retry(
    db: Session, now: datetime, *, ids: Sequence[int] | None, kind: JobKind | None = None
) -> list[int]:
    """Make jobs due at once, with all their attempts; return their ids. None that is under way.

    ids: which of those that wait or are given up; None: all that are given up, of `kind` if it is
    not None.
    """
    again = update_of(Job).where(Job.state != JobState.DONE, _is_free(now))
    if ids is not None:
        again = again.where(Job.id.in_(ids))
    else:
        again = again.where(Job.state == JobState.FAILED)
    if kind is not None:
        again = again.where(Job.kind == kind)
    return sorted(db.scalars(again.values(_reset_columns(now)).returning(Job.id)))


def discard(db: Session, ids: Sequence[int]) -> list[int]:
    """Delete jobs; return the ids of those that were there. None of `STANDING`."""
    matches = (Job.id.in_(ids), Job.kind.not_in(list(STANDING)))
    return sorted(db.scalars(delete_of(Job).where(*matches).returning(Job.id)))


def expired(keep: timedelta) -> tuple[ExpiredRows, ExpiredRows]:
    """Return the jobs that may be deleted: by the end of each, and emails that wait out of date.

    keep: how long after they were done or given up, or were to be sent. A part of an account or of
    a sweep is done when such a job is given up, and nobody else knows the rest.
    """
    may_go = or_(Job.state == JobState.DONE, Job.kind.not_in(_IN_ORDER))
    is_waiting = (Job.state == JobState.WAITING, Job.kind == JobKind.MAIL)
    return (
        ExpiredRows(Job, lambda now: [Job.finished_at <= now - keep, may_go]),
        ExpiredRows(Job, lambda now: [*is_waiting, Job.due_at <= now - keep]),
    )
