"""What views return: what the answer is of, not what it looks like. The envelope decides that."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from ...db.keyset_paging import Cursors
from ...queries.notifications import Told
from ...resources.base import Item


class Kind(StrEnum):
    """What a result is made of."""

    USER = "user"
    TOPIC = "topic"
    REPLY = "reply"
    REPLY_DETAIL = "reply_detail"
    NODE = "node"
    PHOTO = "photo"


@dataclass(frozen=True, slots=True)
class Listing:
    """A page of resources.

    kind: what each row is; name: what the list is called (`followers`); rows: of a query;
    cursors: where the list goes on, if it is cut into pages; total: how many there are on all of
    them, where that is known; of: what the list belongs to, for the replies of a topic.
    """

    kind: Kind
    name: str
    rows: Sequence[Any]
    cursors: Cursors | None = None
    total: int | None = None
    parent: Item | None = None


@dataclass(frozen=True, slots=True)
class Detail:
    """One resource in full. location: its address, where it was just created."""

    kind: Kind
    item: Item
    location: str | None = None


@dataclass(frozen=True, slots=True)
class NotificationListing:
    """A page of notifications, with what they speak of."""

    page: Told


@dataclass(frozen=True, slots=True)
class Ids:
    """A page of ids, of things that the client knows or can ask for.

    cursors: where the list goes on.
    """

    ids: Sequence[int]
    cursors: Cursors


@dataclass(frozen=True, slots=True)
class Hello:
    """Whose token it is."""

    login: str


@dataclass(frozen=True, slots=True)
class Uploaded:
    """A picture that was taken. url: where it is served."""

    url: str


@dataclass(frozen=True, slots=True)
class Count:
    """How many there are. of: what was counted, where the client named it (kind, id)."""

    count: int
    target: tuple[str, int] | None = None


@dataclass(frozen=True, slots=True)
class Ok:
    """It is done, and there is nothing to show."""


Result = Listing | Detail | NotificationListing | Ids | Hello | Uploaded | Count | Ok
