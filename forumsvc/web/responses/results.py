"""The results that views return. The envelope decides what their JSON looks like."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from ...db.cursors import Cursor
from ...db.keyset_paging import Cursors
from ...presenters.notifications import PostTexts
from ...queries.event_objects import EventObjects
from ...queries.notification_groups import GroupPage
from ...queries.notifications import NotificationPage
from ...queries.replies import Places
from ...queries.rows import EventRow
from ...queries.viewer_states import ViewerState
from ...resources.base import Item


class Kind(StrEnum):
    """The kinds of resources in results."""

    USER = "user"
    TOPIC = "topic"
    REPLY = "reply"
    REPLY_DETAIL = "reply_detail"
    NODE = "node"
    SECTION = "section"
    PHOTO = "photo"
    WEBHOOK = "webhook"
    DELIVERY = "delivery"
    RESTRICTION = "restriction"
    LOG_RECORD = "log_record"
    REPORT = "report"
    REVIEW = "review"
    HELD_POST = "held_post"
    ACCESS_BLOCK = "access_block"
    EXPORT = "export"
    MAIL = "mail"
    SITE = "site"
    DRAFT = "draft"
    VERSION = "version"


@dataclass(frozen=True, slots=True)
class Listing:
    """A page of resources.

    kind: the kind of each row; name: the name of the list (`followers`); rows: of a query;
    cursors: of the pages around, if the list is paged; total: the number on all pages, if known;
    parent: the resource that the list belongs to, for the replies of a topic; states: the caller's
    relations to each row, if they were loaded (`loading`).
    """

    kind: Kind
    name: str
    rows: Sequence[Any]
    cursors: Cursors | None = None
    total: int | None = None
    parent: Item | None = None
    states: Sequence[ViewerState] = ()


@dataclass(frozen=True, slots=True)
class ReplyListing(Listing):
    """A page of a topic's replies.

    last: the cursor before which the last page ends; places: where each reply stands in the topic,
    None if they were not asked for.
    """

    last: Cursor | None = None
    places: Places | None = None


@dataclass(frozen=True, slots=True)
class SearchListing(Listing):
    """A page of what was found.

    matches: how each row was found; query: what was understood; next_offset: where the next page
    begins, None if there is none.
    """

    matches: Sequence[Any] = ()
    query: Any = None
    next_offset: int | None = None


@dataclass(frozen=True, slots=True)
class Detail:
    """One resource with all its fields.

    is_new: whether it was just created; state: the caller's relations to it, if they were loaded
    (`loading`).
    """

    kind: Kind
    item: Item
    is_new: bool = False
    state: ViewerState | None = None


@dataclass(frozen=True, slots=True)
class Held:
    """A post that was not published, because a moderator has to look at it. row: a HeldPostRow."""

    row: Any


@dataclass(frozen=True, slots=True)
class Shown:
    """One row that is no resource of the tree."""

    kind: Kind
    row: Any


@dataclass(frozen=True, slots=True)
class NotificationListing:
    """A page of notifications, with the rows that they refer to, and the texts of posts in them."""

    page: NotificationPage
    texts: PostTexts


@dataclass(frozen=True, slots=True)
class GroupListing:
    """A page of groups of notifications."""

    page: GroupPage


@dataclass(frozen=True, slots=True)
class EventListing:
    """A page of events, with what they are about."""

    rows: Sequence[EventRow]
    objects: EventObjects
    cursors: Cursors


@dataclass(frozen=True, slots=True)
class Ids:
    """A page of ids. cursors: of the pages before and after."""

    ids: Sequence[int]
    cursors: Cursors


@dataclass(frozen=True, slots=True)
class Hello:
    """The answer to hello: the login of the token's user. user: the user, if loaded (`loading`)."""

    login: str
    user: Item | None = None


@dataclass(frozen=True, slots=True)
class Uploaded:
    """A photo that was uploaded. row: a PhotoRow; url: where it is served."""

    row: Any
    url: str


@dataclass(frozen=True, slots=True)
class Count:
    """A number. target: the counted resource, if the client named it: kind, id."""

    count: int
    target: tuple[str, int] | None = None


@dataclass(frozen=True, slots=True)
class MarkedRead:
    """How far the caller has read a topic now.

    place: a row as of `queries.topic_reads.unread_counts`.
    """

    place: Any


@dataclass(frozen=True, slots=True)
class Ok:
    """Success without data. item: what was changed, as it is now, if its ETag is of use."""

    item: Item | None = None


Result = (
    Listing
    | Detail
    | Held
    | Shown
    | NotificationListing
    | GroupListing
    | EventListing
    | Ids
    | Hello
    | Uploaded
    | Count
    | MarkedRead
    | Ok
)
