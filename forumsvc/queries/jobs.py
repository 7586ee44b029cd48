"""Lists and numbers of jobs."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import Row, case, func, or_, select

from ..db.execution import SqlConnection
from ..models import Job, JobKind, JobState, MailKind
from ..models.job import ONCE, STANDING

_COLUMNS: tuple[Any, ...] = tuple(Job.__table__.c)
_COUNTED = [kind for kind in JobKind if kind not in STANDING]


def newest(
    db: SqlConnection, kind: JobKind | None, state: JobState | None, limit: int
) -> Sequence[Row[Any]]:
    """Return the newest jobs, at most `limit`.

    kind, state: only those; None: all, but of the kinds of `STANDING` only those that fail.
    """
    query = select(*_COLUMNS).order_by(Job.id.desc()).limit(limit)
    only = {Job.kind: kind, Job.state: state}
    query = query.where(*(column == value for column, value in only.items() if value is not None))
    if kind is None:
        query = query.where(or_(Job.kind.not_in(STANDING), Job.error.is_not(None)))
    return db.execute(query).all()


def latest_mail(db: SqlConnection, user_id: int, kind: MailKind) -> Row[Any] | None:
    """Return the job of a user's latest email of a kind; None if there is none anymore."""
    mine = Job.kind == JobKind.MAIL, Job.key == str(user_id)
    query = select(*_COLUMNS).where(*mine, Job.data["kind"].as_string() == str(kind))
    return db.execute(query.order_by(Job.id.desc()).limit(1)).first()


class Count(NamedTuple):
    """The jobs of a kind: how many wait, since when the oldest one, and how many are given up.

    Of the kinds of `ONCE`, whose job is used again and again, the time when it was due counts: it
    may be in the future.
    """

    waiting: int = 0
    oldest_at: datetime | None = None
    failed: int = 0


def counts(db: SqlConnection) -> dict[JobKind, Count]:
    """Count the jobs of each kind that are not done, but for kinds of `STANDING` and newer ones."""
    waits_since = case((ONCE, Job.due_at), else_=Job.created_at)
    columns: list[Any] = [Job.kind, Job.state, func.count().label("n"), func.min(waits_since)]
    matches = Job.state != JobState.DONE, Job.kind.in_(_COUNTED)
    grouped = select(*columns).where(*matches).group_by(Job.kind, Job.state)
    result = {kind: Count() for kind in _COUNTED}
    for kind, state, number, oldest_at in db.execute(grouped):
        count = result[JobKind(kind)]
        if state == JobState.FAILED:
            result[JobKind(kind)] = count._replace(failed=number)
        else:
            result[JobKind(kind)] = count._replace(waiting=number, oldest_at=oldest_at)
    return result
