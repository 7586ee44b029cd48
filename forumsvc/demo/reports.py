"""The reports of the demo: a few of its newest posts wait for a moderator."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from ..models import Reply, ReportCategory, Role, Topic
from ..services.moderation import reporting
from ..services.moderation.reporting import Reporter, Target

_REPORTED_REPLIES = 3
_REPORTERS = 2


def report_some(db: Session, user_ids: Sequence[int], now: datetime) -> None:
    """Let members report the newest topic and the newest replies, unless they wrote them.

    user_ids: those who report, of whom the first ones do; now: when.
    """
    for target in [*_topics(db), *_replies(db)]:
        category = ReportCategory.SPAM if target.reply_id else ReportCategory.OFF_TOPIC
        reporters = [user_id for user_id in user_ids if user_id != target.user_id]
        for user_id in reporters[:_REPORTERS]:
            reporting.report(
                db,
                Reporter(user_id, Role.MEMBER, is_established=True),
                now,
                target,
                category=category,
                comment="",
                hide_after=None,
            )


def _topics(db: Session) -> list[Target]:
    seen = (Topic.deleted_at.is_(None), Topic.banned_at.is_(None))
    columns = (Topic.id, Topic.user_id)
    rows = db.execute(select(*columns).where(*seen).order_by(Topic.id.desc()).limit(1))
    return [Target(f"topic:{row.id}", row.user_id, topic_id=row.id) for row in rows]


def _replies(db: Session) -> list[Target]:
    columns = (Reply.id, Reply.user_id, Reply.topic_id)
    written = Reply.deleted_at.is_(None)
    newest = select(*columns).where(written).order_by(Reply.id.desc()).limit(_REPORTED_REPLIES)
    rows = db.execute(newest)
    return [Target(f"reply:{row.id}", row.user_id, row.topic_id, row.id) for row in rows]
