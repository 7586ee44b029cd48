"""The states of topics and replies that people begin and end, each declared once.

The types of the API's action, the abilities, the buttons and the pages that ask first, the events,
the log of moderation and the words for the author are made of these rows. What a change does
beside the column stands in `services.posts.topics` and `replies`; who may make it, beside
moderators, in `resources.topics` and `resources.replies`.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple

from ..permissions import ReplyPermission, TopicPermission
from ..text.messages import Message
from .event import EventType


class Change(NamedTuple):
    """The beginning or the end of a state.

    word: the name of the action, in the path of the page and as the API's `type`; button: on the
    button; question, effect: of the page that asks first, empty without one; logged: in the log of
    moderation; notice: to the author, before the title; former_word: which older clients send.
    """

    word: str
    permission: TopicPermission | ReplyPermission
    event: EventType
    button: Message
    logged: Message
    notice: Message
    question: str = ""
    effect: str = ""
    former_word: TopicPermission | None = None


class State(NamedTuple):
    """A state. column: of the time when it began, null outside it.

    hides: whether only its author and moderators see what is in it; by_authors: whether authors may
    change it, too, which is then in no log; is_type: whether the changes are types of the API's
    action; mark: beside the title, None without one; is_praise: whether the mark is one.
    """

    column: str
    begin: Change
    end: Change
    hides: bool = False
    by_authors: bool = False
    is_type: bool = True
    mark: Message | None = None
    is_praise: bool = False

    def holds(self, row: Any) -> bool:
        """Return whether a topic or reply is in the state."""
        return getattr(row, self.column) is not None


BANNED = State(
    "banned_at",
    Change(
        "ban",
        TopicPermission.BAN,
        EventType.TOPIC_BANNED,
        button=Message("Hide"),
        question=Message("Hide this topic?"),
        effect=Message("Only its author and moderators can read it."),
        logged=Message("The topic is hidden"),
        notice=Message("your topic is hidden:"),
    ),
    Change(
        "unban",
        TopicPermission.UNBAN,
        EventType.TOPIC_UNBANNED,
        button=Message("Show again"),
        question=Message("Show this topic again?"),
        effect=Message("Everybody can read it again."),
        logged=Message("The topic is shown again"),
        notice=Message("your topic is shown again:"),
        former_word=TopicPermission.NORMAL,
    ),
    hides=True,
)
EXCELLENT = State(
    "excellent_at",
    Change(
        "excellent",
        TopicPermission.EXCELLENT,
        EventType.TOPIC_FEATURED,
        button=Message("Mark as excellent"),
        logged=Message("The topic is marked as excellent"),
        notice=Message("your topic is excellent:"),
    ),
    Change(
        "unexcellent",
        TopicPermission.UNEXCELLENT,
        EventType.TOPIC_UNFEATURED,
        button=Message("Remove the mark"),
        logged=Message("The topic is no longer marked as excellent"),
        notice=Message("your topic is no longer excellent:"),
    ),
    mark=Message("Excellent"),
    is_praise=True,
)
CLOSED = State(
    "closed_at",
    Change(
        "close",
        TopicPermission.CLOSE,
        EventType.TOPIC_CLOSED,
        button=Message("Close"),
        question=Message("Close this topic?"),
        effect=Message("Everybody can read it, and nobody can answer."),
        logged=Message("The topic is closed"),
        notice=Message("your topic is closed:"),
    ),
    Change(
        "open",
        TopicPermission.OPEN,
        EventType.TOPIC_OPENED,
        button=Message("Reopen"),
        question=Message("Open this topic again?"),
        effect=Message("Everybody can answer again."),
        logged=Message("The topic is open again"),
        notice=Message("your topic is open again:"),
    ),
    by_authors=True,
    mark=Message("Closed"),
)
DELETED = State(
    "deleted_at",
    Change(
        "delete",
        TopicPermission.DESTROY,
        EventType.TOPIC_DELETED,
        button=Message("Delete"),
        question=Message("Delete this topic?"),
        effect=Message("The topic and its replies disappear from the forum."),
        logged=Message("The topic is deleted"),
        notice=Message("your topic is deleted:"),
    ),
    Change(
        "restore",
        TopicPermission.UNBAN,
        EventType.TOPIC_RESTORED,
        button=Message("Restore"),
        question=Message("Restore this topic?"),
        effect=Message("Everybody can read it again."),
        logged=Message("The topic is restored"),
        notice=Message("your topic is shown again:"),
    ),
    hides=True,
    by_authors=True,
    is_type=False,
)
PINNED = State(
    "pinned_at",
    Change(
        "pin",
        TopicPermission.PIN,
        EventType.TOPIC_PINNED,
        button=Message("Pin"),
        logged=Message("The topic is pinned"),
        notice=Message("your topic is pinned:"),
    ),
    Change(
        "unpin",
        TopicPermission.UNPIN,
        EventType.TOPIC_UNPINNED,
        button=Message("Unpin"),
        logged=Message("The topic is no longer pinned"),
        notice=Message("your topic is no longer pinned:"),
    ),
    mark=Message("Pinned"),
)
TOPIC_STATES = (EXCELLENT, PINNED, CLOSED, BANNED, DELETED)
"""In the order of the buttons."""
REPLY_DELETED = State(
    "deleted_at",
    Change(
        "delete",
        ReplyPermission.DESTROY,
        EventType.REPLY_DELETED,
        button=Message("Delete"),
        question=Message("Delete this reply?"),
        effect=Message("A line in its place says that it is deleted."),
        logged=Message("The reply is deleted"),
        notice=Message("your reply is deleted in"),
    ),
    Change(
        "restore",
        # Of a deleted reply only moderators have it.
        ReplyPermission.DESTROY,
        EventType.REPLY_RESTORED,
        button=Message("Restore"),
        question=Message("Restore this reply?"),
        effect=Message("Everybody can read it again."),
        logged=Message("The reply is restored"),
        notice=Message("your reply is shown again in"),
    ),
    hides=True,
    by_authors=True,
    is_type=False,
)
REPLY_STATES = (REPLY_DELETED,)


def changes(states: Iterable[State]) -> list[Change]:
    """Return the two changes of each state."""
    return [change for state in states for change in (state.begin, state.end)]


ACTION_TYPES = {
    word: change
    for change in changes(state for state in TOPIC_STATES if state.is_type)
    for word in (change.word, change.former_word)
    if word is not None
}
"""The types of `POST /topics/:id/action`, with the names for older clients."""
