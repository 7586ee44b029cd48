"""The keyed envelope: each document under its name, with `meta` beside it."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

from ...clock import rfc3339
from ...models import Role, UserState
from ...openapi.keyed_names import CREATED, error_kind
from ...permissions import REPLY_ABILITIES, TOPIC_ABILITIES, USER_SUMMARY_ABILITIES
from ...presenters.keyed import reply_additions, topic_additions, user_additions
from ...queries.viewer_states import PLACE
from ...resources.base import Item
from ...resources.replies import ReplyItem, listed_reply
from ...resources.topics import TopicItem
from ...resources.users import UserItem
from ...security.policy import abilities
from ..api.request import ForumRequest
from ..http_cache.cache_policy import CacheScope, PageKind
from .envelope import BareEnvelope, add_matches
from .loading import with_viewer_states
from .results import (
    Count,
    Detail,
    EventListing,
    GroupListing,
    Hello,
    Ids,
    Kind,
    Listing,
    NotificationListing,
    Result,
    SearchListing,
    Shown,
)

_KINDS_WITH_USER = frozenset({Kind.USER, Kind.TOPIC, Kind.REPLY, Kind.REPLY_DETAIL})
"""The kinds that are or contain a user."""


class KeyedEnvelope(BareEnvelope):
    """The envelope for clients of the public forum engine."""

    created_status = CREATED
    # The clients take every other status for a failure, and their users send the text again.
    held_status = CREATED
    wrong_password_status = 401

    def cache_scope(self, shown: PageKind, request: ForumRequest) -> CacheScope:
        """Return which callers get the same response: `meta` depends on the caller."""
        if request.caller is None or shown in (PageKind.NODE_LIST, PageKind.SITE):
            return CacheScope.PUBLIC
        if request.includes_state:
            return CacheScope.UNCACHEABLE
        if shown in (PageKind.TOPIC_LIST, PageKind.NOTIFICATION_LIST):
            return CacheScope.PER_USER  # the caller may be the author of a topic
        # Admins have abilities for a reply's author that maintainers do not have.
        return CacheScope.PER_USER if shown is PageKind.REPLY else CacheScope.UNCACHEABLE

    def is_cacheable(self, shown: PageKind) -> bool:
        """Return whether such a response may be cached: topics in lists show view counts."""
        shows_hits = shown in (PageKind.TOPIC_LIST, PageKind.NOTIFICATION_LIST)
        return not shows_hits and super().is_cacheable(shown)

    def load(self, result: Result, request: ForumRequest) -> Result:
        """Return a result with all that its document shows, such as the viewer state in `meta`."""
        match result:
            case Hello():
                return replace(result, user=request.root["users"]["me"])
            case Detail(kind=Kind.TOPIC | Kind.USER):
                return with_viewer_states(result, request)
            case Listing(parent=Item()):
                return with_viewer_states(result, request)
        return super().load(result, request)

    def body(self, result: Result, request: ForumRequest) -> Any:
        """Return the JSON document of a result that `load` returned."""
        document = super().body(result, request)
        if isinstance(result, Shown):
            return {str(result.kind): document, "meta": {}}
        if isinstance(result, Hello) and result.user is not None:
            shown = self.detail(Kind.USER, result.user, request)
            return {"user": shown, **document, "meta": {"time": rfc3339(request.now)}}
        return document

    def held_document(self, shown: dict[str, Any]) -> Any:
        """Return a held post as `meta`, beside the topic or reply that does not exist yet."""
        return {"topic": None, "reply": None, "meta": {"held": shown}}

    def error(self, status: int, message: str) -> Any:
        """Return the JSON document of an error, with its kind."""
        return {"error": error_kind(status), "message": message}

    def notifications_document(self, result: NotificationListing, request: ForumRequest) -> Any:
        """Return a page of notifications under its name."""
        shown = super().notifications_document(result, request)
        for item in shown:
            _add_user_abilities(item["actor"], request)
            for post in (item["reply"], item["mention"]):
                if post is not None:
                    _add_user_abilities(post["user"], request)
        return {"notifications": shown}

    def groups_document(self, result: GroupListing, request: ForumRequest) -> Any:
        """Return a page of groups of notifications under its name."""
        shown = super().groups_document(result, request)
        for group in shown:
            for actor in group["actors"]:
                _add_user_abilities(actor, request)
        return {"groups": shown}

    def events_document(self, result: EventListing, request: ForumRequest) -> Any:
        """Return a page of events under its name."""
        return {"events": super().events_document(result, request)}

    def listing_document(self, result: Listing, request: ForumRequest) -> Any:
        """Return a page under its name."""
        shown = super().listing_document(result, request)
        document = {result.name: shown}
        if result.kind == Kind.NODE:
            document["meta"] = {"total": len(shown)}
        elif result.parent is not None:
            for item, row in zip(shown, result.rows, strict=True):
                reply = listed_reply(result.parent, row)
                item["abilities"] = abilities(request.caller, reply, REPLY_ABILITIES)
            document["meta"] = {"user_liked_reply_ids": _liked_reply_ids(result)}
        return document

    def search_document(self, result: SearchListing, request: ForumRequest) -> Any:
        """Return a page of what was found under its name, with what was understood as `meta`."""
        document = self.listing_document(result, request)
        add_matches(document[result.name], result)
        return {**document, "meta": {"query": result.query}}

    def ids_document(self, result: Ids) -> Any:
        """Return a page of ids under its name."""
        return {"ids": super().ids_document(result)}

    def detail_document(self, result: Detail, request: ForumRequest) -> Any:
        """Return one resource under its name, with the viewer state as `meta`."""
        shown = super().detail_document(result, request)
        state = result.state or {} if result.kind in (Kind.TOPIC, Kind.USER) else {}
        meta = {name: value for name, value in state.items() if name not in PLACE}
        return {str(result.kind): shown, "meta": meta}

    def count_document(self, result: Count) -> Any:
        """Return a number, with the resource that it belongs to."""
        if result.target is None:
            return super().count_document(result)
        kind, counted_id = result.target
        return {"obj_type": str(kind), "obj_id": counted_id, "count": result.count}

    def list_item(self, kind: Kind, row: Any, request: ForumRequest) -> dict[str, Any]:
        """Return a resource as an item of a list, with the additional fields."""
        shown = super().list_item(kind, row, request)
        item: Item
        if kind == Kind.TOPIC:
            item = TopicItem(request.root.topics, str(row.id), row)
            shown |= _topic_additions(item, request)
            shown["abilities"] = abilities(request.caller, item, TOPIC_ABILITIES)
        elif kind == Kind.REPLY:
            shown |= reply_additions(row)
        elif kind == Kind.VERSION:
            _add_user_abilities(shown["editor"], request)
        elif kind == Kind.REPLY_DETAIL:
            item = ReplyItem(request.root.replies, str(row.id), row)
            shown |= reply_additions(row)
            shown["abilities"] = abilities(request.caller, item, REPLY_ABILITIES)
        if kind in _KINDS_WITH_USER:
            _add_user_abilities(shown if kind == Kind.USER else shown["user"], request)
        return shown

    def detail(self, kind: Kind, item: Item, request: ForumRequest) -> dict[str, Any]:
        """Return a resource with all its fields and the additional ones."""
        shown = super().detail(kind, item, request)
        if kind == Kind.TOPIC:
            shown |= _topic_additions(item, request)
        elif kind == Kind.USER:
            shown |= user_additions(shown)
            shown["abilities"] |= abilities(request.caller, item, USER_SUMMARY_ABILITIES)
        if kind in _KINDS_WITH_USER and kind != Kind.USER:
            _add_user_abilities(shown["user"], request)
        return shown


def _add_user_abilities(user: dict[str, Any], request: ForumRequest) -> None:
    """Add the `abilities` of a user who is shown as an author or actor."""
    known = request.user_abilities
    user_id = user["id"]
    if user_id not in known:
        # For these permissions the ACL of a user reads the id only.
        others = {"state": UserState.ACTIVE, "role": Role.ADMIN, "email_public": False}
        row = SimpleNamespace(user_id=user_id, **others)
        item = UserItem(request.root["users"], str(user_id), row)
        known[user_id] = abilities(request.caller, item, USER_SUMMARY_ABILITIES)
    user["abilities"] = known[user_id]


def _topic_additions(item: Item, request: ForumRequest) -> dict[str, Any]:
    hits = request.registry.view_counter.pending_for(item.row.id)
    return topic_additions(item.row, pending_hits=hits)


def _liked_reply_ids(result: Listing) -> list[int]:
    shown = zip(result.rows, result.states, strict=True)
    return [row.id for row, state in shown if state["liked"]]
