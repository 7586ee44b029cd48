"""Carrying out what a moderator decided on a review, by its kind."""

from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import literal, select
from sqlalchemy.orm import Session

from ...db.base import BigId
from ...db.execution import ReadConnection
from ...errors import Conflict, Invalid, NotFound
from ...models import (
    Decision,
    EventType,
    MailKind,
    Report,
    ReviewKind,
    ReviewState,
    Role,
    Topic,
    User,
    UserState,
)
from ...queries import held_posts, users
from ...queries import replies as reply_queries
from ...queries import topics as topic_queries
from ...queries.moderation_rows import HeldPostRow, ReviewRow
from ...queries.user_locks import lock_users
from .. import accounts, mails, replies, topics
from ..content.authoring import Authoring, RenderedPost
from . import held_posts as held_post_service
from . import notices, sweeping

STAYS = frozenset({Decision.APPROVE, Decision.DISMISS})
"""What leaves a reported post as it is."""
POST_RELEASED, POST_REFUSED = "held_post.released", "held_post.refused"
"""What an author is told became of a held post."""
ACCOUNT_APPROVED = "account.approved"
"""What somebody is told whose account a moderator has approved."""
POST_STAYS = "report.unfounded"
"""What an author is told, with a reason, whose post was reported and stays."""
_OF_NEW = frozenset({Decision.APPROVE, Decision.DELETE})


class Publication(NamedTuple):
    """What publishing a held post needs. body: rendered before the first lock."""

    authoring: Authoring
    body: RenderedPost


def check(review: ReviewRow, decision: Decision, *, silences: bool) -> None:
    """Raise Invalid if a decision does not fit a review.

    silences: whether the user is silenced, too.
    """
    if review.kind != ReviewKind.REPORTED:
        if decision not in _OF_NEW:
            raise Invalid("decision", "must be approve or delete for what is not published yet")
    elif review.topic_id is None and decision not in STAYS and not silences:
        raise Invalid("decision", "a user can only be silenced (silence_days), or dismiss")


def are_equal(review: ReviewRow, decision: Decision) -> bool:
    """Return whether a resolved review was decided like that."""
    stays = review.kind == ReviewKind.REPORTED and decision in STAYS
    return review.decision == decision or (stays and review.decision in STAYS)


def publishes(review: ReviewRow, decision: Decision) -> bool:
    """Return whether a decision publishes a held post, which must be rendered before."""
    is_waiting = review.kind == ReviewKind.HELD and review.state == ReviewState.OPEN
    return is_waiting and decision == Decision.APPROVE


def held_post_of(db: ReadConnection, review: ReviewRow, *, lock: bool = False) -> HeldPostRow:
    """Return the held post of a review of that kind. Raises NotFound."""
    held = held_posts.by_id(db, review.held_post_id or 0, lock=lock)
    if held is None:
        raise NotFound("There is no such post.")
    return held


def apply(
    db: Session,
    actor_id: int | None,
    now: datetime,
    review: ReviewRow,
    decision: Decision,
    reason: str | None,
    publication: Publication | None,
    *,
    silences: bool,
) -> None:
    """Do what was decided, and tell the author, once.

    publication: to approve a held post; silences: whether the caller also silences the author, and
    tells them that.
    """
    if review.kind == ReviewKind.HELD:
        _apply_to_held(db, actor_id, now, review, decision, reason, publication)
    elif review.kind == ReviewKind.ACCOUNT:
        _apply_to_account(db, actor_id, now, review, decision, reason)
    else:
        _apply_to_reported(db, actor_id, now, review, decision, reason, silences)


def _apply_to_held(
    db: Session,
    actor_id: int | None,
    now: datetime,
    review: ReviewRow,
    decision: Decision,
    reason: str | None,
    publication: Publication | None,
) -> None:
    held = held_post_of(db, review, lock=True)
    title = held.title
    if held.topic_id is not None:
        title = db.scalar(select(Topic.title).where(Topic.id == held.topic_id))
    topic_id = held.topic_id
    if decision == Decision.DELETE:
        held_post_service.refuse(db, actor_id, now, held)
    else:
        assert publication is not None, "the caller renders what is published"  # noqa: S101
        authoring, body = publication
        topic_id = held_post_service.release(db, actor_id, now, authoring, held, body)
    said = POST_REFUSED if decision == Decision.DELETE else POST_RELEASED
    notices.notify(db, now, held.user_id, said, reason=reason, title=title, topic_id=topic_id)


def _apply_to_account(
    db: Session,
    actor_id: int | None,
    now: datetime,
    review: ReviewRow,
    decision: Decision,
    reason: str | None,
) -> None:
    """Let the user write, or delete the account. They are told by email, if the address is theirs.

    Nobody has confirmed the others: they may be a stranger's. Raises Conflict for the deletion of
    somebody who belongs to the staff by now.
    """
    user = users.by_id(db, review.author_id, lock=True)
    if user is None or user.state == UserState.DELETED:
        return
    is_approved = decision == Decision.APPROVE
    if not is_approved and user.role not in (Role.MEMBER, Role.VIP):
        raise Conflict(f"{user.user_login} has got another role meanwhile: only approve fits.")
    if is_approved:
        accounts.approve(db, user.user_id)
        notices.notify(db, now, user.user_id, ACCOUNT_APPROVED, reason=reason)
    else:
        accounts.delete(db, user.user_login, actor_id=actor_id)
    if user.email is not None and user.email_confirmed_at is not None:
        kind = MailKind.ACCOUNT_APPROVED if is_approved else MailKind.ACCOUNT_REFUSED
        data = {"login": user.user_login, "reason": reason or ""}
        user_id = user.user_id if is_approved else None  # emails go with their account
        mails.enqueue(db, kind, user.email, now, user_id=user_id, data=data)


def _apply_to_reported(
    db: Session,
    actor_id: int | None,
    now: datetime,
    review: ReviewRow,
    decision: Decision,
    reason: str | None,
    silences: bool,
) -> None:
    """Hide or delete the post, or show it again if the service has hidden it."""
    is_changed, said = False, POST_STAYS
    if review.topic_id is not None and (review.is_hidden or decision not in STAYS):
        is_changed, said = _change_post(db, actor_id, now, review, decision, reason)
    # All who are told, in one order.
    author = select(literal(review.author_id, BigId))
    reporters = select(Report.reporter_id).where(Report.review_id == review.id)
    lock_users(db, User.id.in_(author.union(reporters)))
    if actor_id == review.author_id or (is_changed and reason):
        # With a reason the action itself has told the author.
        return
    if said != POST_STAYS or (reason and not silences):
        title = db.scalar(select(Topic.title).where(Topic.id == review.topic_id))
        notices.notify(db, now, review.author_id, said, reason=reason, title=title)


def _change_post(
    db: Session,
    actor_id: int | None,
    now: datetime,
    review: ReviewRow,
    decision: Decision,
    reason: str | None,
) -> tuple[bool, str]:
    """Do what was decided; return whether that changed the post, and what its author is told."""
    stays, topic_id, reply_id = decision in STAYS, review.topic_id or 0, review.reply_id
    if not stays:
        sweeping.keep_hidden(db, topic_id, reply_id)
    if reply_id is not None:
        reply: Any = reply_queries.by_id(db, reply_id, lock=True)
        act = replies.restore if stays else replies.destroy
        done = EventType.REPLY_RESTORED if stays else EventType.REPLY_DELETED
        return act(db, actor_id, now, reply, reason), done
    topic: Any = topic_queries.state(db, topic_id, lock=True)
    change, done = {
        Decision.HIDE: (topics.ban, EventType.TOPIC_BANNED),
        Decision.DELETE: (topics.destroy, EventType.TOPIC_DELETED),
    }.get(decision, (topics.unban, EventType.TOPIC_UNBANNED))
    return change(db, actor_id, now, topic, reason), done
