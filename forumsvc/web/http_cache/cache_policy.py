"""The cache policies of views: which versions cover a page, and who may share it."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto
from hashlib import blake2b
from typing import Any

import orjson

from ...cache import versions
from ...queries.own_topics import UNREAD
from ...resources.base import Resource
from ...resources.notifications import Notifications
from ..api.request import ForumRequest
from ..notification_rows import notification_rows
from ..pipeline.network_blocks import enforce_blocks_changed_since
from ..site_facts import site_version

_DIGEST_BYTES = 16


class CacheScope(Enum):
    """Which callers get the same page under the same versions."""

    PUBLIC = auto()
    PER_ABILITIES = auto()
    """Callers to whom the ACLs of the resource grant the same."""
    PER_USER = auto()
    UNCACHEABLE = auto()
    """Not even the same caller, for it shows something that no version covers."""


class PageKind(Enum):
    """What such a view shows."""

    TOPIC_LIST = auto()
    NODE_LIST = auto()
    REPLY_LIST = auto()
    TOPIC = auto()
    REPLY = auto()
    SITE = auto()
    NOTIFICATION_LIST = auto()


@dataclass(frozen=True, slots=True)
class CachePolicy:
    """What a view shows, and how to read its versions; None if they do not cover all of it.

    has_etag_of_body: the versions change far more often than what is shown; is_polled: clients ask
    for it again and again, so the page of one user is worth a place in the cache.
    """

    page_kind: PageKind
    read_versions: Callable[[Any, ForumRequest], tuple[int, ...] | None]
    has_etag_of_body: bool = False
    is_polled: bool = False


def _lists(context: Resource, request: ForumRequest) -> tuple[int, ...] | None:
    # Where no list is cached, the SELECT of the version would be wasted.
    if not request.page_cache.max_bytes:
        return None
    if request.access is not None:
        return (request.access.lists_version,)
    version, access_version = versions.load_lists_and_access_versions(request.db)
    enforce_blocks_changed_since(request, access_version)
    return (version,)


def _topic_list(context: Resource, request: ForumRequest) -> tuple[int, ...] | None:
    # No version covers whom a user blocks, what they mute, and how far they have read. By ids there
    # are topics that only some callers may see.
    parameters, caller = request.validated, request.caller
    if parameters.get("ids") is not None or parameters.get("type") == UNREAD:
        return None
    if caller is not None and (caller.blocks or caller.mutes):
        return None
    return _lists(context, request)


def _topic(item: Any, request: ForumRequest) -> tuple[int, ...] | None:
    enforce_blocks_changed_since(request, item.row.access_version)
    return (item.row.version, item.row.names_version)


def _reply(item: Any, request: ForumRequest) -> tuple[int, ...] | None:
    return (item.row.topic_version, item.row.names_version)


def _site(context: Resource, request: ForumRequest) -> tuple[int, ...]:
    return (site_version(request),)


def _notification_list(context: Notifications, request: ForumRequest) -> tuple[int, ...]:
    # The first SELECT of the list itself, which has the versions of all that the others load: no
    # writer of notifications has to remember a version.
    listed = notification_rows(context, request)
    shown = orjson.dumps([request.site_texts.name, *map(tuple, listed.rows)])
    digest = blake2b(shown + repr(listed.cursors).encode(), digest_size=_DIGEST_BYTES)
    return (int.from_bytes(digest.digest()),)


TOPIC_LIST = CachePolicy(PageKind.TOPIC_LIST, _topic_list)
NODE_LIST = CachePolicy(PageKind.NODE_LIST, _lists, has_etag_of_body=True)
REPLY_LIST = CachePolicy(PageKind.REPLY_LIST, _topic)
TOPIC = CachePolicy(PageKind.TOPIC, _topic)
REPLY = CachePolicy(PageKind.REPLY, _reply)
SITE = CachePolicy(PageKind.SITE, _site)
NOTIFICATION_LIST = CachePolicy(PageKind.NOTIFICATION_LIST, _notification_list, is_polled=True)
