"""The bare envelope: an array for a list, the serializer's object for one resource."""

from collections.abc import Callable
from typing import Any

from ...models import ReviewKind
from ...permissions import (
    MODERATOR_ABILITIES,
    NODE_ABILITIES,
    REPLY_ABILITIES,
    TOPIC_ABILITIES,
    USER_ABILITIES,
    NodePermission,
)
from ...permissions import UserPermission as May
from ...presenters.access_blocks import access_block
from ...presenters.audit_log import log_record
from ...presenters.data_exports import data_export
from ...presenters.drafts import draft
from ...presenters.events import listed_event
from ...presenters.held_posts import held_post
from ...presenters.nodes import node, node_detail, section
from ...presenters.notifications import notification_groups, notifications
from ...presenters.photos import photo, uploaded_photo
from ...presenters.post_versions import post_version
from ...presenters.replies import reply, reply_detail
from ...presenters.reports import report, report_with_reporter
from ...presenters.restrictions import restriction
from ...presenters.reviews import review
from ...presenters.topics import topic, topic_detail
from ...presenters.users import user, user_detail
from ...presenters.webhooks import delivery, webhook
from ...resources.base import Item
from ...security.policy import abilities, decide, granted
from ..api.request import ForumRequest
from ..http_cache.cache_policy import CacheScope, PageKind
from .loading import with_viewer_states
from .results import (
    Count,
    Detail,
    EventListing,
    GroupListing,
    Held,
    Hello,
    Ids,
    Kind,
    Listing,
    MarkedRead,
    NotificationListing,
    Ok,
    ReplyListing,
    Result,
    SearchListing,
    Shown,
    Uploaded,
)

ABILITIES = {
    Kind.USER: USER_ABILITIES,
    Kind.TOPIC: TOPIC_ABILITIES,
    Kind.REPLY: REPLY_ABILITIES,
}

_MARKED_READ = ("last_read_reply_id", "unread_count")
"""What is shown of a place that the caller has just set."""

_PRESENTERS: dict[Kind, Callable[[ForumRequest, Any], dict[str, Any]]] = {
    Kind.USER: lambda request, row: user(request.site, row),
    Kind.TOPIC: lambda request, row: topic(request.site, row),
    Kind.REPLY: lambda request, row: reply(request.site, row),
    Kind.REPLY_DETAIL: lambda request, row: reply_detail(request.site, row),
    Kind.NODE: lambda request, row: node(row),
    Kind.PHOTO: lambda request, row: photo(
        request.site, row, request.photo_url(row.name, row.storage)
    ),
    Kind.SECTION: lambda request, row: section(row),
    Kind.WEBHOOK: lambda request, row: webhook(row, None),
    Kind.DELIVERY: lambda request, row: delivery(row),
    Kind.RESTRICTION: lambda request, row: restriction(request.site, row),
    Kind.LOG_RECORD: lambda request, row: log_record(request.site, row),
    Kind.REPORT: lambda request, row: report(row),
    Kind.REVIEW: lambda request, row: review(request.site, row),
    Kind.HELD_POST: lambda request, row: held_post(request.site, row),
    Kind.ACCESS_BLOCK: lambda request, row: access_block(request.site, row),
    Kind.EXPORT: lambda request, row: data_export(request.site, row),
    Kind.SITE: lambda request, row: row,
    Kind.MAIL: lambda request, row: row,
    Kind.DRAFT: lambda request, row: draft(row),
    Kind.VERSION: lambda request, row: post_version(request.site, row),
}
"""A row as an item of a list, by its kind."""


class BareEnvelope:
    """The envelope of the API description."""

    created_status = 201
    """The status of a response to a creation."""
    held_status = 202
    """The status of a response to a creation that waits for a moderator."""
    wrong_password_status = 400
    """The status of a password grant with a wrong password (RFC 6749 §5.2: 400)."""

    def cache_scope(self, shown: PageKind, request: ForumRequest) -> CacheScope:
        """Return which callers get the same response."""
        if request.caller is None:
            return CacheScope.PUBLIC
        if request.includes_state:
            return CacheScope.UNCACHEABLE
        if shown is PageKind.NOTIFICATION_LIST:
            return CacheScope.PER_USER
        if shown not in (PageKind.TOPIC, PageKind.REPLY):
            return CacheScope.PUBLIC
        return CacheScope.PER_ABILITIES

    def is_cacheable(self, shown: PageKind) -> bool:
        """Return whether such a response may be cached: a version covers all that it shows.

        The site shows the time.
        """
        return shown is not PageKind.SITE

    def load(self, result: Result, request: ForumRequest) -> Result:
        """Return a result with all that its document shows. Runs SQL, which `body` does not."""
        return with_viewer_states(result, request) if request.includes_state else result

    def body(self, result: Result, request: ForumRequest) -> Any:
        """Return the JSON document of a result that `load` returned."""
        match result:
            case SearchListing():
                return self.search_document(result, request)
            case Listing():
                return self.listing_document(result, request)
            case Detail():
                return self.detail_document(result, request)
            case Held(row=row):
                return self.held_document(held_post(request.site, row))
            case Shown(kind=kind, row=row):
                return self.list_item(kind, row, request)
            case NotificationListing():
                return self.notifications_document(result, request)
            case GroupListing():
                return self.groups_document(result, request)
            case EventListing():
                return self.events_document(result, request)
            case Ids():
                return self.ids_document(result)
            case Hello(login=login):
                return {"current_user": login}
            case Uploaded(row=row, url=url):
                return uploaded_photo(request.site, row, url)
            case Count():
                return self.count_document(result)
            case MarkedRead(place=place):
                shown = {name: getattr(place, name) for name in _MARKED_READ}
                return {"ok": 1, **shown}
            case Ok():
                return {"ok": 1}

    def held_document(self, shown: dict[str, Any]) -> Any:
        """Return the document of a post that was held instead of published."""
        return {"held": shown}

    def error(self, status: int, message: str) -> Any:
        """Return the JSON document of an error."""
        return {"error": message}

    def notifications_document(self, result: NotificationListing, request: ForumRequest) -> Any:
        def show_topic(row: Any) -> dict[str, Any]:
            return self.list_item(Kind.TOPIC, row, request)

        return notifications(request.site, result.page, show_topic, result.texts)

    def groups_document(self, result: GroupListing, request: ForumRequest) -> Any:
        """Return the document of a page of groups of notifications."""

        def show_topic(row: Any) -> dict[str, Any]:
            return self.list_item(Kind.TOPIC, row, request)

        return notification_groups(request.site, result.page, show_topic)

    def events_document(self, result: EventListing, request: ForumRequest) -> Any:
        """Return the document of a page of events, which are the same in every shape."""
        return [listed_event(request.site, row, result.objects) for row in result.rows]

    def listing_document(self, result: Listing, request: ForumRequest) -> Any:
        """Return the document of a page of resources."""
        shown = [self.list_item(result.kind, row, request) for row in result.rows]
        if request.includes_state:
            for item, state in zip(shown, result.states, strict=True):
                item["state"] = state
        if isinstance(result, ReplyListing) and result.places is not None:
            for item, place in zip(shown, result.places.places, strict=True):
                item["place"] = place
        return shown

    def search_document(self, result: SearchListing, request: ForumRequest) -> Any:
        """Return the document of a page of what was found."""
        shown = self.listing_document(result, request)
        add_matches(shown, result)
        return shown

    def ids_document(self, result: Ids) -> Any:
        """Return the document of a page of ids."""
        return [*result.ids]

    def detail_document(self, result: Detail, request: ForumRequest) -> Any:
        """Return the document of one resource, with its `abilities`."""
        shown = self.detail(result.kind, result.item, request)
        if request.includes_state:
            shown["state"] = result.state
        return shown

    def count_document(self, result: Count) -> Any:
        return {"count": result.count}

    def list_item(self, kind: Kind, row: Any, request: ForumRequest) -> dict[str, Any]:
        return _PRESENTERS[kind](request, row)

    def review_details(self, item: Item, request: ForumRequest) -> dict[str, Any]:
        """Return what a moderator needs to decide: the reports, the object and its author."""
        result: Any = item.details  # type: ignore[attr-defined]  # of a ReviewItem
        author = result.author
        shown = user_detail(request.site, author, with_email=False, with_restriction=True)
        shown["restrictions_count"] = result.restrictions_count
        kind = Kind.TOPIC if item.row.reply_id is None else Kind.REPLY
        if item.row.kind == ReviewKind.HELD:
            kind = Kind.HELD_POST
        return {
            "reports": [report_with_reporter(request.site, item) for item in result.reports],
            "object": shown if result.object is None else self.detail(kind, result.object, request),
            "author": shown,
        }

    def detail(self, kind: Kind, item: Item, request: ForumRequest) -> dict[str, Any]:
        """Return a resource with all its fields."""
        shown = _detailed(kind, item, request)
        if kind == Kind.REVIEW:
            shown |= self.review_details(item, request)
        if kind == Kind.NODE:
            may = bool(decide(request.caller, item, NodePermission.MANAGE))
            shown["abilities"] = dict.fromkeys(NODE_ABILITIES, may)
        if kind in ABILITIES:
            permissions: tuple[str, ...] = ABILITIES[kind]
            if kind == Kind.USER and request.caller is not None and request.caller.is_moderator:
                permissions += MODERATOR_ABILITIES
            shown["abilities"] = abilities(request.caller, item, permissions)
        return shown


def add_matches(shown: list[dict[str, Any]], result: SearchListing) -> None:
    """Add to each resource how it was found."""
    for item, entry in zip(shown, result.matches, strict=True):
        item["match"] = entry


def _detailed(kind: Kind, item: Item, request: ForumRequest) -> dict[str, Any]:
    match kind:
        case Kind.USER:
            is_own = granted(request.caller, item, May.CONFIRM)
            return user_detail(
                request.site,
                item.row,
                with_email=granted(request.caller, item, May.VIEW_EMAIL),
                with_restriction=is_own or bool(decide(request.caller, item, May.VIEW_NOTES)),
                is_own=is_own,
            )
        case Kind.TOPIC:
            hits = request.registry.view_counter.pending_for(item.row.id)
            return topic_detail(request.site, item.row, pending_hits=hits)
        case Kind.REPLY:
            return reply_detail(request.site, item.row)
        case Kind.NODE:
            return node_detail(item.row)
        case Kind.WEBHOOK:
            return webhook(item.row, getattr(item, "secret", None))
    return _PRESENTERS[kind](request, item.row)
