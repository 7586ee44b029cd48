"""Reports of members: each joins the open review of its object, which the first one opens.

Locks are taken in the order review, topic, reply, users.
"""

from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import Row, ScalarSelect, func, select
from sqlalchemy.orm import Session, aliased

from ...db.statements import insert_or_ignore, update_of, with_row_locks
from ...errors import Unavailable
from ...models import (
    EventType,
    Reply,
    Report,
    ReportCategory,
    ReportState,
    Review,
    ReviewKind,
    ReviewState,
    Role,
    Topic,
)
from ...queries import replies as reply_queries
from ...queries import topics as topic_queries
from .. import events
from ..posts import replies, topics

HIDDEN = "Several members reported it, so it is hidden until a moderator has looked at it."
"""What the author of a post is told that the service has hidden."""
_WEIGHTS = {Role.MEMBER: 2, Role.VIP: 3, Role.MAINTAINER: 5, Role.ADMIN: 5}
_NEWBIE_WEIGHT = 1
_ATTEMPTS = 3


class Target(NamedTuple):
    """What is reported. user_id: the author, or the reported user; is_hideable: whether the
    service may hide it, which is so for the posts of members.
    """

    key: str
    user_id: int
    topic_id: int | None = None
    reply_id: int | None = None
    is_hideable: bool = False


class Reporter(NamedTuple):
    """Who reports. role: a Role; is_established: whether they are no newbie."""

    user_id: int
    role: str
    is_established: bool


def report(
    db: Session,
    reporter: Reporter,
    now: datetime,
    target: Target,
    *,
    category: ReportCategory,
    comment: str,
    hide_after: int | None,
) -> tuple[int, bool]:
    """Report something; return the id of the report and whether it is new.

    A reporter has one open report of an object: a second one changes nothing. hide_after: so many
    reporters hide a post (see `_counted_reporters`); None: no number does.
    """
    review = _open_review(db, now, target)
    values = {
        "reporter_id": reporter.user_id,
        "review_id": review.id,
        "category": str(category),
        "comment": comment,
        "text": _new_text(db, target, review.id),
        "is_established": reporter.is_established,
        "state": str(ReportState.OPEN),
        "created_at": now,
    }
    is_new = bool(insert_or_ignore(db, Report, **values))
    is_own = (Report.review_id == review.id, Report.reporter_id == reporter.user_id)
    report_id = db.scalars(select(Report.id).where(*is_own, Report.state == ReportState.OPEN)).one()
    if not is_new:
        return report_id, False
    weight = _WEIGHTS[Role(reporter.role)] if reporter.is_established else _NEWBIE_WEIGHT
    counted = {"reports_count": Review.reports_count + 1, "weight": Review.weight + weight}
    db.execute(update_of(Review).where(Review.id == review.id).values(**counted))
    _record(db, EventType.REPORT_CREATED, now, target, review.id, category=str(category))
    is_due = hide_after is not None and target.is_hideable and not review.hidden_by_service
    if is_due and _counted_reporters(db, target, review.id) >= (hide_after or 0):
        _hide(db, now, target, review.id)
    return report_id, True


def _open_review(db: Session, now: datetime, target: Target) -> Row[Any]:
    """Return the open review of an object, locked: its id and hidden_by_service."""
    values = {
        "kind": str(ReviewKind.REPORTED),
        "object_key": target.key,
        "topic_id": target.topic_id,
        "reply_id": target.reply_id,
        "user_id": target.user_id,
        "state": str(ReviewState.OPEN),
        "opened_at": now,
    }
    columns: list[Any] = [Review.id, Review.hidden_by_service]
    is_open = (Review.object_key == target.key, Review.state == ReviewState.OPEN)
    locked = with_row_locks(select(*columns).where(*is_open), Review)
    for _ in range(_ATTEMPTS):
        row = db.execute(locked).first()
        if row is not None:
            return row
        # Another transaction may open it, or resolve it, at the same time.
        if insert_or_ignore(db, Review, **values):
            review = db.execute(locked).one()
            _record(db, EventType.REVIEW_OPENED, now, target, review.id)
            return review
    raise Unavailable("The report could not be stored; try again.")


def _new_text(db: Session, target: Target, review_id: int) -> str | None:
    """Return the text of a post, unless it is kept with an earlier report of the review."""
    if target.reply_id is not None:
        text = db.scalar(select(Reply.body).where(Reply.id == target.reply_id))
    elif target.topic_id is not None:
        both = select(Topic.title, Topic.body).where(Topic.id == target.topic_id)
        text = "\n\n".join(db.execute(both).one())
    else:
        return None
    texts = select(Report.text).where(Report.review_id == review_id, Report.text.is_not(None))
    is_kept = text == db.scalar(texts.order_by(Report.id.desc()).limit(1))
    return None if is_kept else text


def _counted_reporters(db: Session, target: Target, review_id: int) -> int:
    """Return how many reporters may hide a post together.

    Who is no newbie, and was not told before that this post, unless it was edited since, is fine.
    """
    earlier = aliased(Report)
    was_dismissed = (
        select(earlier.id)
        .join(Review, Review.id == earlier.review_id)
        .where(
            Review.object_key == target.key,
            earlier.reporter_id == Report.reporter_id,
            earlier.state == ReportState.DISMISSED,
            earlier.resolved_at >= _edited_at(target),
        )
    )
    is_counted = (
        Report.review_id == review_id,
        Report.is_established.is_(True),
        Report.state == ReportState.OPEN,
        ~was_dismissed.exists(),
    )
    return db.scalar(select(func.count()).select_from(Report).where(*is_counted)) or 0


def _edited_at(target: Target) -> ScalarSelect[Any]:
    if target.reply_id is not None:
        edited_at = select(Reply.updated_at).where(Reply.id == target.reply_id)
    else:
        edited_at = select(Topic.updated_at).where(Topic.id == target.topic_id)
    return edited_at.scalar_subquery()


def _hide(db: Session, now: datetime, target: Target, review_id: int) -> None:
    """Hide a post unless it is hidden already."""
    if target.reply_id is not None:
        reply = reply_queries.by_id(db, target.reply_id, lock=True)
        if reply is None or reply.deleted_at is not None:
            return
        replies.destroy(db, None, now, reply, HIDDEN)
    elif target.topic_id is not None:
        topic = topic_queries.state(db, target.topic_id, lock=True)
        if topic is None or topic.banned_at is not None or topic.deleted_at is not None:
            return
        topics.ban(db, None, now, topic, HIDDEN)
    db.execute(update_of(Review).where(Review.id == review_id).values(hidden_by_service=True))


def _record(
    db: Session, type_: EventType, now: datetime, target: Target, review_id: int, **data: str
) -> None:
    ids = {"user_id": target.user_id, "topic_id": target.topic_id, "reply_id": target.reply_id}
    # Nobody is told who reported something.
    events.record(db, type_, now, actor_id=None, data={"review_id": review_id, **data}, **ids)
