"""Deciding on what moderators have to look at. The caller has locked the review."""

from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from ...db.statements import update_of
from ...errors import PreconditionFailed
from ...models import EventType, Report, ReportState, Review, ReviewState
from ...queries.moderation_rows import ReviewRow
from ...texts import Message
from .. import deeds
from ..deeds import Deed
from . import decisions, notices
from .decisions import Verdict

REPORT_UPHELD, REPORT_DISMISSED = "report.upheld", "report.dismissed"
"""What a reporter is told became of the report."""


def resolve(
    db: Session, actor_id: int | None, now: datetime, review: ReviewRow, verdict: Verdict
) -> bool:
    """Decide; return False if the same was decided before, so that nothing changes.

    The reporters and the author are told. Raises PreconditionFailed if another decision was made
    before, Invalid for a decision that does not fit, Conflict for a held post that cannot be
    published.
    """
    decision, reason = verdict.decision, verdict.reason
    if review.state == ReviewState.RESOLVED:
        if decisions.are_equal(review, decision):
            return False
        raise PreconditionFailed(f"Another moderator has decided: {review.decision}.")
    if verdict.version is not None and verdict.version != review.version:
        raise PreconditionFailed(Message("The review has changed since it was read."))
    decisions.check(review, verdict)
    decisions.apply(db, actor_id, now, review, verdict)
    values = {
        "state": str(ReviewState.RESOLVED),
        "decision": str(decision),
        "reason": reason or None,
        "resolved_by_id": actor_id,
        "resolved_at": now,
        "version": Review.version + 1,
    }
    db.execute(update_of(Review).where(Review.id == review.id).values(**values))
    _tell_reporters(db, now, review, verdict)
    ids = review.author_id, review.topic_id, review.reply_id
    about = {"review_id": review.id, "decision": str(decision)}
    what = EventType.REVIEW_RESOLVED
    deed = Deed(what, actor_id, now, *ids, reason=reason, data=about, details=about)
    deeds.record(db, deed)
    return True


def _tell_reporters(db: Session, now: datetime, review: ReviewRow, verdict: Verdict) -> None:
    is_upheld = verdict.silences or not verdict.stays
    state = ReportState.UPHELD if is_upheld else ReportState.DISMISSED
    closed = (
        update_of(Report)
        .where(Report.review_id == review.id, Report.state == ReportState.OPEN)
        .values(state=str(state), resolved_at=now)
        .returning(Report.id)
    )
    if not db.scalars(closed).all():
        return
    said = REPORT_UPHELD if is_upheld else REPORT_DISMISSED
    reporter_ids = select(Report.reporter_id).where(Report.review_id == review.id)
    # The reason of a silence is for the one who is silenced.
    reason = None if verdict.silences else verdict.reason
    notices.notify_all(db, now, reporter_ids, said, reason=reason, topic_id=review.topic_id)
