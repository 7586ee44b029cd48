"""Texts with which the form of a post begins: a quotation, or one's post that was held."""

from ...models import HeldState
from ...queries import held_posts, replies
from ...queries.held_posts import HeldPostRow
from ...resources.topics import TopicItem
from ...services.moderation import held_posts as held_post_service
from ...text.ids import parse_id
from ...web.api.request import ForumRequest


def own_held_post(request: ForumRequest) -> HeldPostRow | None:
    """Return the own post that is not published and whose text is changed, None without one."""
    held_id = parse_id(str(request.parameters.get("held") or ""))
    row = held_posts.by_id(request.executor, held_id) if held_id is not None else None
    if row is None or row.user_id != request.actor_id:
        return None
    return row if row.state in (HeldState.WAITING, HeldState.REFUSED) else None


def withdraw_held_post(request: ForumRequest) -> None:
    """Take the post back that this one replaces."""
    held = own_held_post(request)
    if held is not None and held.state == HeldState.WAITING:
        held_post_service.withdraw(request.db, request.now, held)


def quotation(item: TopicItem, request: ForumRequest) -> str:
    """Return a reply of the topic as a quotation, "" where there is none to be seen."""
    reply_id = parse_id(str(request.parameters.get("quote") or ""))
    row = reply_id and replies.by_id(request.executor, reply_id)
    if not row or row.topic_id != item.row.id or row.deleted_at is not None:
        return ""
    floor = replies.place_of(request.executor, row.id).floor
    lines = "\n".join(f"> {line}" for line in row.body.splitlines())
    return f"{lines}\n\n@{row.user_login} #{floor} "
