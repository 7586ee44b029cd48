"""Deciding what becomes of what was reported. The caller has locked the review."""

from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from ...db.statements import update_of
from ...errors import Invalid, PreconditionFailed
from ...models import Decision, EventType, Report, ReportState, Review, ReviewState, Topic, User
from ...queries import replies as reply_queries
from ...queries import topics as topic_queries
from ...queries.moderation_rows import ReviewRow
from ...queries.user_locks import lock_users
from .. import events, replies, topics
from . import audit_log, notices

_STAYS = frozenset({Decision.APPROVE, Decision.DISMISS})
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
) -> bool:
    """Decide; return False if the same was decided before, so that nothing changes.

    reason: for the author; version: of the review that the moderator has seen, None for any;
    silences: whether the caller also silences the user. The reporters and the author are told.
    Raises PreconditionFailed if another decision was made before, Invalid for a decision that does
    not fit.
    """
    stays = decision in _STAYS
    if review.state == ReviewState.RESOLVED:
        if review.decision == decision or (stays and review.decision in _STAYS):
            return False
        raise PreconditionFailed(f"Another moderator has decided: {review.decision}.")
    if version is not None and version != review.version:
        raise PreconditionFailed("The review has changed since it was read.")
    if review.topic_id is None and not stays and not silences:
        raise Invalid("decision", "a user can only be silenced (silence_days), or dismiss")
    is_upheld = silences or not stays
    _apply(db, actor_id, now, review, decision, reason)
    _close(db, actor_id, now, review, decision, reason)
    _tell_reporters(db, now, review, is_upheld=is_upheld)
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


def _apply(
    db: Session,
    actor_id: int | None,
    now: datetime,
    review: ReviewRow,
    decision: Decision,
    reason: str | None,
) -> None:
    """Hide or delete the post, or show it again if the service has hidden it."""
    if decision in _STAYS and not review.is_hidden:
        return
    if review.reply_id is not None:
        reply = reply_queries.by_id(db, review.reply_id, lock=True)
        if reply is None:
            return
        act = replies.restore if decision in _STAYS else replies.destroy
        act(db, actor_id, now, reply, reason)
        done = EventType.REPLY_RESTORED if decision in _STAYS else EventType.REPLY_DELETED
    elif review.topic_id is not None:
        topic = topic_queries.state(db, review.topic_id, lock=True)
        if topic is None:
            return
        change, done = {
            Decision.HIDE: (topics.ban, EventType.TOPIC_BANNED),
            Decision.DELETE: (topics.destroy, EventType.TOPIC_DELETED),
        }.get(decision, (topics.unban, EventType.TOPIC_UNBANNED))
        change(db, actor_id, now, topic, reason)
    else:
        return
    if not reason and actor_id != review.author_id:
        # With a reason the action itself has told the author.
        title = db.scalar(select(Topic.title).where(Topic.id == review.topic_id))
        notices.notify(db, now, review.author_id, done, reason=None, title=title)


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


def _tell_reporters(db: Session, now: datetime, review: ReviewRow, *, is_upheld: bool) -> None:
    state = ReportState.UPHELD if is_upheld else ReportState.DISMISSED
    closed = (
        update_of(Report)
        .where(Report.review_id == review.id, Report.state == ReportState.OPEN)
        .values(state=str(state), resolved_at=now)
        .returning(Report.reporter_id)
    )
    reporter_ids = sorted(db.scalars(closed))
    if not reporter_ids:
        return
    title = None
    if review.topic_id is not None:
        title = db.scalar(select(Topic.title).where(Topic.id == review.topic_id))
    lock_users(db, User.id.in_(reporter_ids))
    said = REPORT_UPHELD if is_upheld else REPORT_DISMISSED
    for reporter_id in reporter_ids:
        notices.notify(db, now, reporter_id, said, reason=None, title=title)
