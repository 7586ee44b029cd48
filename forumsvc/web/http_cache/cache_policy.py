"""What says whether an answer is still true, for the views that show what many read."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any

from ...cache import versions
from ...resources.base import Resource
from ..api.request import ForumRequest


class Audience(Enum):
    """For whom an answer is the same, as far as its mark knows."""

    EVERYBODY = auto()
    SAME_RIGHTS = auto()
    """Those whom the ACLs of what is asked for grant the same."""
    SAME_CALLER = auto()
    NOBODY_ELSE = auto()
    """Not even the caller, the next time: it shows what no mark covers."""


class Shown(Enum):
    """What such a view shows."""

    TOPIC_LIST = auto()
    NODE_LIST = auto()
    REPLY_LIST = auto()
    TOPIC = auto()
    REPLY = auto()


@dataclass(frozen=True, slots=True)
class Mark:
    """What a view shows, and how to read the mark of it; None where none covers all of it."""

    shown: Shown
    read: Callable[[Any, ForumRequest], tuple[int, ...] | None]


def _lists(context: Resource, request: ForumRequest) -> tuple[int, ...] | None:
    # Where no list is kept, reading the mark is not worth its while.
    if not request.page_cache.size:
        return None
    known = request.lists_mark
    return (versions.of_lists(request.db) if known is None else known,)


def _topic_list(context: Resource, request: ForumRequest) -> tuple[int, ...] | None:
    # Whom somebody blocks is in no mark.
    if request.caller is not None and request.caller.blocks:
        return None
    return _lists(context, request)


def _topic(item: Any, request: ForumRequest) -> tuple[int, ...] | None:
    return (item.row.version, item.row.names)


def _reply(item: Any, request: ForumRequest) -> tuple[int, ...] | None:
    return (item.row.topic_version, item.row.names)


TOPIC_LIST = Mark(Shown.TOPIC_LIST, _topic_list)
NODE_LIST = Mark(Shown.NODE_LIST, _lists)
REPLY_LIST = Mark(Shown.REPLY_LIST, _topic)
TOPIC = Mark(Shown.TOPIC, _topic)
REPLY = Mark(Shown.REPLY, _reply)
