"""Keeping the former texts of topics and replies, and hiding one that gives something away."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import cache
from typing import Any

from sqlalchemy import bindparam, func, insert, null, select
from sqlalchemy.orm import Session

from ...cache import topic_versions
from ...db.base import BigId, UtcDateTime
from ...db.expired_rows import ExpiredRows
from ...db.statements import delete_of, execute, update_of
from ...models import AdminAction, PostVersion, Reply, Topic
from ...queries import post_versions
from ...queries.post_versions import Post, PostVersionRow
from ...queries.rows import ReplyRow, TopicRow
from ..moderation import actions
from ..moderation.actions import Action

UNKEPT = timedelta(minutes=5)
"""So long after the last version its writer may correct a text that nobody has reacted to."""


def keep(
    db: Session, actor_id: int, now: datetime, post: Post, row: TopicRow | ReplyRow
) -> dict[str, Any]:
    """Keep the text that an edit replaces, if it is worth it; return what the post gets for that.

    It is not while its own writer corrects it within minutes, and nobody else has replied, liked or
    reported it. row: the post before the edit, locked.
    """
    since = row.edited_at or row.created_at
    is_own = actor_id == (row.editor_id or row.user_id)
    is_correction = is_own and now - since <= UNKEPT
    if is_correction and not post_versions.others_acted_since(db, post, actor_id, since):
        return {}
    execute(db, _insert_former(post.model), {"post_id": post.id, "now": now})
    return {"edited_at": now, "editor_id": actor_id}


@cache
def _insert_former(model: Any) -> Any:
    """Return the INSERT of the text that a post has now."""
    is_topic = model is Topic
    column = PostVersion.topic_id if is_topic else PostVersion.reply_id
    post_id = bindparam("post_id", type_=BigId)
    last: Any = select(func.coalesce(func.max(PostVersion.number), 0)).where(column == post_id)
    values: dict[str, Any] = {
        column.key: model.id,
        "number": last.scalar_subquery() + 1,
        "user_id": model.user_id,
        "editor_id": func.coalesce(model.editor_id, model.user_id),
        "title": model.title if is_topic else null(),
        "body": model.body,
        "body_html": model.body_html,
        "markup_version": model.markup_version,
        "created_at": func.coalesce(model.edited_at, model.created_at),
        "replaced_at": bindparam("now", type_=UtcDateTime),
    }
    former = select(*values.values()).where(model.id == post_id)
    return insert(PostVersion).from_select([*values], former)


def hide(
    db: Session, actor_id: int | None, now: datetime, post: Post, topic_id: int, row: PostVersionRow
) -> bool:
    """Hide a former text from all but moderators; return whether it was shown.

    topic_id: the topic, also of a reply.
    """
    is_shown = PostVersion.id == row.id, PostVersion.hidden_at.is_(None)
    hidden = update_of(PostVersion).where(*is_shown).values(hidden_at=now)
    if db.execute(hidden.returning(PostVersion.id)).first() is None:
        return False
    # Cached pages link to the versions of a post as long as there are any.
    topic_versions.bump(db, topic_id)
    reply_id = post.id if post.model is Reply else None
    ids = row.user_id, topic_id, reply_id
    details = {"number": row.number}
    actions.record(db, Action(AdminAction.VERSION_HIDDEN, actor_id, now, *ids, details=details))
    return True


def delete_of_posts(
    db: Session, *, topic_ids: Sequence[int] = (), reply_ids: Sequence[int] = ()
) -> None:
    """Delete the former texts of posts whose text is deleted for good."""
    if topic_ids:
        db.execute(delete_of(PostVersion).where(PostVersion.topic_id.in_(topic_ids)))
    if reply_ids:
        db.execute(delete_of(PostVersion).where(PostVersion.reply_id.in_(reply_ids)))


def expired(keep_for: timedelta) -> ExpiredRows:
    """Return the former texts that were replaced so long ago."""
    return ExpiredRows(PostVersion, lambda now: [PostVersion.replaced_at <= now - keep_for])
