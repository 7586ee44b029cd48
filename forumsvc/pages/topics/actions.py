"""What can be done with topics and replies by a button, which stands where the ACL allows it."""

from collections.abc import Callable
from typing import Any

from pyramid.config import Configurator

from ...permissions import ReplyPermission, TopicPermission
from ...queries.viewer_states import ViewerState
from ...services import relations, replies, topics
from ...web.api.request import ForumRequest
from ..buttons import Action, add_buttons
from ..page_tree import for_users, reply_page, topic_page
from .reply_places import reply_path
from .undo import path_after_deletion


def _calls(service: Callable[..., object]) -> Callable[[ForumRequest, Any], object]:
    """Return the call of a service that takes a row."""
    return lambda request, row: service(request.db, request.actor_id, request.now, row)


def _moderates(service: Callable[..., object]) -> Callable[[ForumRequest, Any], object]:
    """Return the call of a service that takes a row and a moderator's reason."""

    def act(request: ForumRequest, row: Any) -> object:
        reason = request.validated["reason"]
        return service(request.db, request.actor_id, request.now, row, reason)

    return act


def _calls_with_id(service: Callable[..., object]) -> Callable[[ForumRequest, Any], object]:
    return lambda request, row: service(request.db, request.actor_id, request.now, row.id)


def _unfollow(request: ForumRequest, row: Any) -> None:
    relations.unfollow_topic(request.db, request.actor_id, row.id)


def _unfavorite(request: ForumRequest, row: Any) -> None:
    relations.unfavorite(request.db, request.actor_id, row)


_Topic = TopicPermission
ASKING = frozenset({"delete"})
ASKING_OF_MODERATORS = ASKING | {"close", "open", "ban", "unban", "restore"}
TOPIC_ACTIONS = {
    "like": Action(_Topic.LIKE, _calls_with_id(relations.like_topic), None),
    "unlike": Action(_Topic.LIKE, _calls_with_id(relations.unlike_topic), None),
    "follow": Action(_Topic.FOLLOW, _calls_with_id(relations.follow_topic), None),
    "unfollow": Action(_Topic.FOLLOW, _unfollow, None),
    "favorite": Action(_Topic.FAVORITE, _calls(relations.favorite)),
    "unfavorite": Action(_Topic.FAVORITE, _unfavorite),
    "close": Action(_Topic.CLOSE, _moderates(topics.close)),
    "open": Action(_Topic.OPEN, _moderates(topics.open_again)),
    "excellent": Action(_Topic.EXCELLENT, _calls(topics.feature)),
    "unexcellent": Action(_Topic.UNEXCELLENT, _calls(topics.unfeature)),
    "ban": Action(_Topic.BAN, _moderates(topics.ban)),
    "unban": Action(_Topic.UNBAN, _moderates(topics.unban)),
    "delete": Action(_Topic.DESTROY, _moderates(topics.destroy), "row"),
    "restore": Action(_Topic.UNBAN, _moderates(topics.restore)),
}
"""By the name in the path, which is that of the API where it has one."""

REPLY_ACTIONS = {
    "like": Action(ReplyPermission.LIKE, _calls_with_id(relations.like_reply), None),
    "unlike": Action(ReplyPermission.LIKE, _calls_with_id(relations.unlike_reply), None),
    "delete": Action(ReplyPermission.DESTROY, _moderates(replies.destroy), "row"),
    # Of a deleted reply only moderators have the permission.
    "restore": Action(ReplyPermission.DESTROY, _moderates(replies.restore), "row"),
}


def asking_actions(may: dict[str, bool]) -> frozenset[str]:
    """Return the names of the actions that a page asks about first.

    may: by permission, of a topic. Moderators give a reason there.
    """
    return ASKING_OF_MODERATORS if may[_Topic.BAN] else ASKING


def topic_buttons(may: dict[str, bool], row: Any, state: ViewerState) -> list[str]:
    """Return the names of the actions that make sense now and that the caller may do.

    may: by permission; row: of the topic; state: the caller's relations to it.
    """
    choices = [
        ("like", "unlike", state["liked"]),
        ("favorite", "unfavorite", state["favorited"]),
        ("follow", "unfollow", state["followed"]),
        ("close", "open", row.closed_at is not None),
        ("excellent", "unexcellent", row.excellent_at is not None),
        ("ban", "unban", row.banned_at is not None),
    ]
    shown = [undo if is_done else do for do, undo, is_done in choices]
    shown.append("delete" if row.deleted_at is None else "restore")
    return [name for name in shown if may[TOPIC_ACTIONS[name].permission]]


def reply_buttons(may: dict[str, bool], row: Any, state: ViewerState) -> list[str]:
    """Return the names of the actions with a reply, as `topic_buttons` does."""
    shown = ["restore"]
    if row.deleted_at is None:
        shown = ["unlike" if state["liked"] else "like", "delete"]
    return [name for name in shown if may[REPLY_ACTIONS[name].permission]]


def _after_topic(request: ForumRequest, row: Any, action: str) -> str:
    if action == "delete":
        if row.user_id == request.actor_id:
            return path_after_deletion(request, "topic", row.id)
        return request.route_path("topics")
    return request.route_path("topic", topic_id=row.id)


def _after_reply(request: ForumRequest, row: Any, action: str) -> str:
    if action == "delete" and row.user_id == request.actor_id:
        return path_after_deletion(request, "reply", row.id)
    return reply_path(request, row.id)


def includeme(config: Configurator) -> None:
    topic, reply = for_users(topic_page), for_users(reply_page)
    asking = ASKING_OF_MODERATORS
    of_topic = (r"/topics/{topic_id:\d+}", topic, TOPIC_ACTIONS, _after_topic, asking)
    of_reply = (r"/replies/{reply_id:\d+}", reply, REPLY_ACTIONS, _after_reply, asking)
    add_buttons(config, "topic", *of_topic)
    add_buttons(config, "reply", *of_reply)
