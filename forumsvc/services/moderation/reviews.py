"""Deciding on what moderators have to look at. The caller has locked the review."""

from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from ...db.statements import update_of
from ...errors import PreconditionFailed
from ...models import Decision, EventType, Report, ReportState, Review, ReviewState, Topic
from ...queries.moderation_rows import ReviewRow
from ...texts import Message
from .. import events
from . import audit_log, decisions, notices
from .decisions import Publication

REPORT_UPHELD, REPORT_DISMISSED = "report.upheld", "report.dismissed"
"""What a reporter is told became of the report."""


def resolve(
    db: Session,
    actor_id: int | None,
    now: datetime,
    review: ReviewRow,
    *,
    decision: Decision,
    reason: str | None,
    version: int | None = None,
    silences: bool = False,
    publication: Publication | None = None,
) -> bool:
    """Decide; return False if the same was decided before, so that nothing changes.

    reason: for the author, and, unless it is that of a silence, for the reporters; version: of the
    review that the moderator has seen, None for any; silences: whether the caller also silences the
    user; publication: to approve a held post. The reporters and the author are told. Raises
    PreconditionFailed if another decision was made before, Invalid for a decision that does not
    fit, Conflict for a held post that cannot be published.
    """
    if review.state == ReviewState.RESOLVED:
        if decisions.are_equal(review, decision):
            return False
        raise PreconditionFailed(f"Another moderator has decided: {review.decision}.")
    if version is not None and version != review.version:
        raise PreconditionFailed(Message("The review has changed since it was read."))
    decisions.check(review, decision, silences=silences)
    is_upheld = silences or decision not in decisions.STAYS
    decisions.apply(db, actor_id, now, review, decision, reason, publication, silences=silences)
    _close(db, actor_id, now, review, decision, reason)
    # The reason of a silence is for the one who is silenced.
    _tell_reporters(db, now, review, None if silences else reason, is_upheld=is_upheld)
    ids = {"user_id": review.author_id, "topic_id": review.topic_id, "reply_id": review.reply_id}
    about = {"review_id": review.id, "decision": str(decision)}
    type_ = EventType.REVIEW_RESOLVED
    events.record(db, type_, now, actor_id=actor_id, data=about, **ids)
    audit_log.record(
        db,
        type_,
        now,
        actor_id=actor_id,
        reason=reason,
        details=about,
        user_id=review.author_id,
        topic_id=review.topic_id,
        reply_id=review.reply_id,
    )
    return True


def _close(
    db: Session,
    actor_id: int | None,
    now: datetime,
    review: ReviewRow,
    decision: Decision,
    reason: str | None,
) -> None:
    values = {
        "state": str(ReviewState.RESOLVED),
        "decision": str(decision),
        "reason": reason or None,
        "resolved_by_id": actor_id,
        "resolved_at": now,
        "version": Review.version + 1,
    }
    db.execute(update_of(Review).where(Review.id == review.id).values(**values))


def _tell_reporters(
    db: Session, now: datetime, review: ReviewRow, reason: str | None, *, is_upheld: bool
) -> None:
    state = ReportState.UPHELD if is_upheld else ReportState.DISMISSED
    closed = (
        update_of(Report)
        .where(Report.review_id == review.id, Report.state == ReportState.OPEN)
        .values(state=str(state), resolved_at=now)
        .returning(Report.id)
    )
    if not db.scalars(closed).all():
        return
    title = None
    if review.topic_id is not None:
        title = db.scalar(select(Topic.title).where(Topic.id == review.topic_id))
    said = REPORT_UPHELD if is_upheld else REPORT_DISMISSED
    reporter_ids = select(Report.reporter_id).where(Report.review_id == review.id)
    notices.notify_all(db, now, reporter_ids, said, reason=reason, title=title)
