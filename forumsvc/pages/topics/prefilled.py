"""Texts with which the form of a post begins: a quotation, or one's post that was held."""

from ...models import HeldState
from ...queries import held_posts, replies, topics
from ...queries.held_posts import HeldPostRow
from ...resources.topics import TopicItem
from ...services.moderation import held_posts as held_post_service
from ...text.ids import parse_id
from ...web.api.request import ForumRequest

QUOTE_TOPIC = "topic"
"""The parameter `quote` of who quotes the text of the topic."""


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
    """Return a reply of the topic as a quotation, "" where there is none to be seen.

    The text of the topic itself, if that is what the parameter `quote` says.
    """
    quoted = str(request.parameters.get("quote") or "")
    if quoted == QUOTE_TOPIC:
        topic = topics.by_id(request.executor, item.row.id)
        return "" if topic is None else _quoted(topic.body, f"@{topic.user_login}")
    reply_id = parse_id(quoted)
    row = reply_id and replies.by_id(request.executor, reply_id)
    if not row or row.topic_id != item.row.id or row.deleted_at is not None:
        return ""
    floor = replies.place_of(request.executor, row.id).floor
    return _quoted(row.body, f"@{row.user_login} #{floor}")


def _quoted(body: str, source: str) -> str:
    lines = "\n".join(f"> {line}" for line in body.splitlines())
    return f"{source}:\n\n{lines}\n\n"


def joined(text: str, quoted: str) -> str:
    """Return a text with a quotation below it."""
    return f"{text.rstrip()}\n\n{quoted}" if text.strip() and quoted else quoted or text
