"""What moderators decide on reviews, and carrying it out. The caller has locked the review."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from sqlalchemy import literal, select
from sqlalchemy.orm import Session

from ...db.base import BigId
from ...db.execution import ReadConnection
from ...db.statements import update_of
from ...errors import Conflict, Invalid, NotFound, PreconditionFailed
from ...models import (
    Decision,
    EventType,
    MailKind,
    Reply,
    Report,
    ReportState,
    Review,
    ReviewKind,
    ReviewState,
    User,
    UserState,
)
from ...models.user import MODERATORS
from ...queries import held_posts, users
from ...queries import replies as reply_queries
from ...queries import topics as topic_queries
from ...queries.held_posts import HeldPostRow
from ...queries.reviews import ReviewRow
from ...queries.rows import UserRow
from ...queries.user_locks import lock_account, lock_users
from ...text.messages import Clause, Message
from .. import mails
from ..accounts import accounts
from ..posts import purge, replies, topics
from ..posts.authoring import Authoring
from . import actions, notices, restrictions
from . import held_posts as held_post_service
from .actions import Action
from .held_posts import Publication
from .notices import Notice

_STAYS = frozenset({Decision.APPROVE, Decision.DISMISS})
"""What leaves a reported post as it is."""
ACCOUNT_APPROVED = "account.approved"
"""What somebody is told whose account a moderator has approved."""
REPORT_UPHELD, REPORT_DISMISSED = "report.upheld", "report.dismissed"
"""What a reporter is told became of the report."""
POST_STAYS = "report.unfounded"
"""What an author is told, with a reason, whose post was reported and stays."""
_OF_NEW = frozenset({Decision.APPROVE, Decision.DELETE})


class Verdict(NamedTuple):
    """What a moderator decides on a review.

    reason: for the author, and, unless it is that of a silence, for the reporters; version: of the
    review that the moderator has seen, None for any; silence_days: for so long the author is
    silenced, too; publication: to approve a held post.
    """

    decision: Decision
    reason: str | None = None
    version: int | None = None
    silence_days: int | None = None
    publication: Publication | None = None

    @property
    def stays(self) -> bool:
        """Whether a reported post stays as it is."""
        return self.decision in _STAYS

    @property
    def silences(self) -> bool:
        """Whether the author is silenced, too."""
        return self.silence_days is not None


def render_held(
    db: ReadConnection, authoring: Authoring, review: ReviewRow, decision: Decision
) -> Publication | None:
    """Render the held post that a decision publishes; None if it publishes none.

    To be called before anything is locked. Raises NotFound, Invalid, RateLimited, Unavailable.
    """
    is_waiting = review.kind == ReviewKind.HELD and review.state == ReviewState.OPEN
    if not is_waiting or decision != Decision.APPROVE:
        return None
    held = held_post_of(db, review)
    return Publication(authoring, authoring.render(held.user_id, held.body, title=held.title))


def held_post_of(db: ReadConnection, review: ReviewRow, *, lock: bool = False) -> HeldPostRow:
    """Return the held post of a review of that kind. Raises NotFound."""
    held = held_posts.by_id(db, review.held_post_id or 0, lock=lock)
    if held is None:
        raise NotFound("There is no such post.")
    return held


def resolve(
    db: Session,
    actor_id: int | None,
    now: datetime,
    review: ReviewRow,
    verdict: Verdict,
    lock_author: Callable[[], UserRow],
) -> bool:
    """Decide; return False if the same was decided before, so that nothing changes.

    A decision with a silence is the same only for who made it.

    The reporters and the author are told. lock_author: returns the author to be silenced, or raises
    an error for somebody whom the moderator cannot silence. Raises PreconditionFailed if another
    decision was made before, Invalid for a decision that does not fit or a silence without a
    reason, Conflict for a held post that cannot be published.
    """
    decision, reason = verdict.decision, verdict.reason
    if verdict.silences and not reason:
        raise Invalid("reason", "is required to silence the author, who is told")
    if review.state == ReviewState.RESOLVED:
        is_own = actor_id == review.resolver_id
        if _are_equal(review, decision) and (is_own or not verdict.silences):
            return False
        raise PreconditionFailed(f"Another moderator has decided: {review.decision}.")
    if verdict.version is not None and verdict.version != review.version:
        raise PreconditionFailed(Message("The review has changed since it was read."))
    _check(review, verdict)
    _apply(db, actor_id, now, review, verdict)
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
    details = {"review_id": review.id, "decision": str(decision)}
    event_type = EventType.REVIEW_RESOLVED
    action = Action(event_type, actor_id, now, *ids, reason=reason, data=details, details=details)
    actions.record(db, action)
    if verdict.silence_days is not None:
        until = now + timedelta(days=verdict.silence_days)
        author, why = lock_author(), reason or ""
        restrictions.silence_at_least(
            db, actor_id, now, author, reason=why, until=until, review_id=review.id
        )
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
    notice_action = REPORT_UPHELD if is_upheld else REPORT_DISMISSED
    reporters = select(Report.reporter_id).where(Report.review_id == review.id)
    reporter_ids = db.scalars(reporters).all()
    # The reason of a silence is for the one who is silenced.
    reason = None if verdict.silences else verdict.reason
    notices.notify(db, now, reporter_ids, Notice(notice_action, reason, review.topic_id))


def _check(review: ReviewRow, verdict: Verdict) -> None:
    """Raise Invalid if a decision does not fit a review."""
    if review.kind != ReviewKind.REPORTED:
        if verdict.decision not in _OF_NEW:
            raise Invalid("decision", "must be approve or delete for what is not published yet")
    elif review.topic_id is None and not verdict.stays and not verdict.silences:
        raise Invalid("decision", Clause("a user can only be silenced (silence_days), or dismiss"))


def _are_equal(review: ReviewRow, decision: Decision) -> bool:
    """Return whether a resolved review was decided like that."""
    stays = review.kind == ReviewKind.REPORTED and decision in _STAYS
    return review.decision == decision or (stays and review.decision in _STAYS)


def _apply(
    db: Session, actor_id: int | None, now: datetime, review: ReviewRow, verdict: Verdict
) -> None:
    """Do what was decided, and tell the author, once."""
    if review.kind == ReviewKind.HELD:
        held = held_post_of(db, review, lock=True)
        if verdict.decision == Decision.DELETE:
            held_post_service.refuse(db, actor_id, now, held, verdict.reason)
        else:
            assert verdict.publication is not None, "the caller renders it"  # noqa: S101
            publication = verdict.publication
            held_post_service.release(db, actor_id, now, held, publication, verdict.reason)
    elif review.kind == ReviewKind.ACCOUNT:
        _apply_to_account(db, actor_id, now, review, verdict)
    else:
        _apply_to_reported(db, actor_id, now, review, verdict)


def _apply_to_account(
    db: Session, actor_id: int | None, now: datetime, review: ReviewRow, verdict: Verdict
) -> None:
    """Let the user write, or delete the account. They are told by email, if the address is theirs.

    Raises Conflict for the deletion of somebody who belongs to the staff by now.
    """
    lock_account(db, review.author_id)
    user = users.by_id(db, review.author_id)
    if user is None or user.state == UserState.DELETED:
        return
    is_approved = verdict.decision == Decision.APPROVE
    if not is_approved and user.role in MODERATORS:
        raise Conflict(
            Message(
                "%(login)s has got another role meanwhile: only approve fits.",
                login=user.user_login,
            )
        )
    if is_approved:
        accounts.approve(db, user.user_id)
        notices.notify(db, now, [user.user_id], Notice(ACCOUNT_APPROVED, verdict.reason))
    else:
        accounts.delete(db, user.user_login, actor_id=actor_id)
    email = mails.confirmed_email(user)
    if email is not None:
        kind = MailKind.ACCOUNT_APPROVED if is_approved else MailKind.ACCOUNT_REFUSED
        data = {"login": user.user_login, "reason": verdict.reason or ""}
        user_id = user.user_id if is_approved else None  # emails go with their account
        mails.enqueue(db, kind, email, now, user_id=user_id, data=data)


def _apply_to_reported(
    db: Session, actor_id: int | None, now: datetime, review: ReviewRow, verdict: Verdict
) -> None:
    """Hide or delete the post, or show it again if the service has hidden it."""
    is_recorded = False
    notice_action: str | None = POST_STAYS
    if review.topic_id is not None and (review.hidden_by_service or not verdict.stays):
        is_recorded, notice_action = _change_post(db, actor_id, now, review, verdict)
    # All who are told, in one order.
    author = select(literal(review.author_id, BigId))
    reporters = select(Report.reporter_id).where(Report.review_id == review.id)
    lock_users(db, User.id.in_(author.union(reporters)))
    reason = verdict.reason
    if notice_action is None or actor_id == review.author_id or (is_recorded and reason):
        # With a reason the action itself has told the author.
        return
    if notice_action != POST_STAYS or (reason and not verdict.silences):
        notices.notify(db, now, [review.author_id], Notice(notice_action, reason, review.topic_id))


def _change_post(
    db: Session, actor_id: int | None, now: datetime, review: ReviewRow, verdict: Verdict
) -> tuple[bool, str | None]:
    """Do what was decided; return whether that is recorded, and what the post's author is told.

    Nothing is done, and the author told nothing (None), where a post must stay hidden.
    """
    topic_id, reply_id, reason = review.topic_id or 0, review.reply_id, verdict.reason
    if reply_id is not None:
        reply: Any = reply_queries.by_id(db, reply_id, lock=True)
        if verdict.stays and _must_stay_hidden(db, review, reply.deleted_at):
            return False, None
        act = replies.restore if verdict.stays else replies.destroy
        done = EventType.REPLY_RESTORED if verdict.stays else EventType.REPLY_DELETED
        return act(db, actor_id, now, reply, reason), done
    topic: Any = topic_queries.state(db, topic_id, lock=True)
    if verdict.stays and _must_stay_hidden(db, review, topic.banned_at):
        return False, None
    done = {
        Decision.HIDE: EventType.TOPIC_BANNED,
        Decision.DELETE: EventType.TOPIC_DELETED,
    }.get(verdict.decision, EventType.TOPIC_UNBANNED)
    return topics.change(done, db, actor_id, now, topic, reason), done


def _must_stay_hidden(db: Session, review: ReviewRow, since: datetime | None) -> bool:
    """Return whether staff have hidden a post after the service, or its text is gone for good.

    since: when it was hidden, None: it is not.
    """
    if since is None:
        return False
    is_reply = review.reply_id is not None
    begun = EventType.REPLY_DELETED if is_reply else EventType.TOPIC_BANNED
    if actions.is_decided(db, begun, review.topic_id, review.reply_id, since=since):
        return True
    return is_reply and purge.is_purged(db, Reply, review.reply_id or 0)
