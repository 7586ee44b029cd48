"""What can be done with topics and replies by a button, which stands where the ACL allows it."""

from collections.abc import Callable
from functools import partial
from typing import Any

from ...models.states import DELETED, REPLY_DELETED, TOPIC_STATES, changes
from ...permissions import ReplyPermission, TopicPermission
from ...queries.viewer_states import ViewerState
from ...services.posts import relations, replies, topics
from ...web.api.request import ForumRequest
from ..buttons import Button, button_pages
from ..page_tree import for_users, reply_page, topic_page
from ..paths import reply_path
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


TOPIC_BUTTONS = {
    "like": Button(TopicPermission.LIKE, _calls_with_id(relations.like_topic), None),
    "unlike": Button(TopicPermission.LIKE, _calls_with_id(relations.unlike_topic), None),
    "follow": Button(TopicPermission.FOLLOW, _calls_with_id(relations.follow_topic), None),
    "unfollow": Button(TopicPermission.FOLLOW, _unfollow, None),
    "favorite": Button(TopicPermission.FAVORITE, _calls(relations.favorite)),
    "unfavorite": Button(TopicPermission.FAVORITE, _unfavorite),
    **{
        change.word: Button(
            change.permission,
            _moderates(partial(topics.change, change.event)),
            "row" if change is DELETED.begin else "state",
            change.question,
            change.effect,
        )
        for change in changes(TOPIC_STATES)
    },
}
"""By the name in the path, which is that of the API where it has one."""

REPLY_BUTTONS = {
    "like": Button(ReplyPermission.LIKE, _calls_with_id(relations.like_reply), None),
    "unlike": Button(ReplyPermission.LIKE, _calls_with_id(relations.unlike_reply), None),
    **{
        change.word: Button(
            change.permission, _moderates(service), "row", change.question, change.effect
        )
        for change, service in (
            (REPLY_DELETED.begin, replies.destroy),
            (REPLY_DELETED.end, replies.restore),
        )
    },
}


TEMPLATE_VALUES = {
    "state_buttons": {item.word: item.button for item in changes((*TOPIC_STATES, REPLY_DELETED))},
    "topic_marks": [state for state in TOPIC_STATES if state.mark],
}
"""For all templates: the texts of the buttons by the word, and the states beside a title."""


def asking_buttons(may: dict[str, bool]) -> frozenset[str]:
    """Return the names of the buttons that lead to a page which asks first.

    may: by permission, of a topic. Moderators give a reason there.
    """
    names = {name for name, button in TOPIC_BUTTONS.items() if button.question}
    return frozenset(names if may[TopicPermission.BAN] else {DELETED.begin.word})


def topic_buttons(may: dict[str, bool], row: Any, state: ViewerState) -> list[str]:
    """Return the names of the buttons that make sense now and that the caller may use.

    may: by permission; row: of the topic; state: the caller's relations to it.
    """
    choices = [
        ("like", "unlike", state["liked"]),
        ("favorite", "unfavorite", state["favorited"]),
        ("follow", "unfollow", state["followed"]),
        *(
            (topic_state.begin.word, topic_state.end.word, topic_state.holds(row))
            for topic_state in TOPIC_STATES
        ),
    ]
    shown = [undo if is_done else do for do, undo, is_done in choices]
    return [name for name in shown if may[TOPIC_BUTTONS[name].permission]]


def reply_buttons(may: dict[str, bool], row: Any, state: ViewerState) -> list[str]:
    """Return the names of the buttons of a reply, as `topic_buttons` does."""
    shown = ["restore"]
    if row.deleted_at is None:
        shown = ["unlike" if state["liked"] else "like", "delete"]
    return [name for name in shown if may[REPLY_BUTTONS[name].permission]]


@button_pages("topic", r"/topics/{topic_id:\d+}", for_users(topic_page), TOPIC_BUTTONS)
def _after_topic(request: ForumRequest, row: Any, action: str) -> str:
    if action == "delete" and row.user_id == request.actor_id:
        return path_after_deletion(request, "topic", row)
    return request.route_path("topic", topic_id=row.id)


@button_pages("reply", r"/replies/{reply_id:\d+}", for_users(reply_page), REPLY_BUTTONS)
def _after_reply(request: ForumRequest, row: Any, action: str) -> str:
    if action == "delete" and row.user_id == request.actor_id:
        return path_after_deletion(request, "reply", row)
    return reply_path(request, row.id)
