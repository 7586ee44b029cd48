"""Reading the log of what moderators and administrators do, the newest first."""

from collections.abc import Collection
from datetime import datetime
from functools import cache, partial
from typing import Any, NamedTuple, Protocol

from sqlalchemy import Select, bindparam, literal, null, select
from sqlalchemy.orm import aliased

from ..db.base import UtcDateTime
from ..db.execution import ReadConnection
from ..db.keyset_paging import KeysetPage, PageRequest, PageRows, SortOrder, load_page
from ..models import AuditRecord, User, Visibility
from .rows import columns
from .user_columns import summary


class LogRow(Protocol):
    """A record of the log, for `presenters.audit_log.log_record`. details: JSON text."""

    id: int
    action: str
    actor_id: int | None
    actor_login: str | None
    actor_name: str | None
    actor_avatar: str | None
    user_id: int | None
    user_login: str | None
    user_name: str | None
    user_avatar: str | None
    via: str | None
    topic_id: int | None
    reply_id: int | None
    node_id: int | None
    reason: str | None
    details: str | None
    request_id: str | None
    created_at: datetime


MODERATOR = "moderator"
"""The one actor whom everybody sees."""

_NEWEST_FIRST = SortOrder("log", id=AuditRecord.id)
_ACTOR, _USER = aliased(User), aliased(User)
_STAFF = ("via", "details", "request_id")
_COLUMNS = columns(AuditRecord, LogRow, without={"actor_id", "user_id", *_STAFF})
_STAFF_COLUMNS: tuple[Any, ...] = (
    *_COLUMNS,
    *(getattr(AuditRecord, name) for name in _STAFF),
    *summary(_ACTOR, "actor"),
    *summary(_USER, "user"),
)
_PUBLIC_COLUMNS: tuple[Any, ...] = (
    *_COLUMNS,
    *(null().label(name) for name in _STAFF),
    literal(0).label("actor_id"),
    literal(MODERATOR).label("actor_login"),
    literal("").label("actor_name"),
    literal("").label("actor_avatar"),
    *(null().label(f"user_{name}") for name in ("id", "login", "name", "avatar")),
)
_CONDITIONS: dict[str, Any] = {
    "action": AuditRecord.action == bindparam("action"),
    "actor_id": AuditRecord.actor_id == bindparam("actor_id"),
    "user_id": AuditRecord.user_id == bindparam("user_id"),
    "topic_id": AuditRecord.topic_id == bindparam("topic_id"),
    "since": AuditRecord.created_at >= bindparam("since", type_=UtcDateTime),
    "until": AuditRecord.created_at < bindparam("until", type_=UtcDateTime),
}


class LogFilter(NamedTuple):
    """Which records are wanted; None: all. since: from then on; until: before then."""

    action: str | None = None
    actor_id: int | None = None
    user_id: int | None = None
    topic_id: int | None = None
    since: datetime | None = None
    until: datetime | None = None


@cache
def _page(names: tuple[str, ...], is_public: bool, keyset: KeysetPage) -> Select[Any]:
    is_visible = AuditRecord.visibility.in_(bindparam("visibilities", expanding=True))
    conditions = [is_visible, *(_CONDITIONS[name] for name in names)]
    ids = keyset.apply(select(*keyset.order.keys).where(*conditions)).subquery("page")
    page = select(*(_PUBLIC_COLUMNS if is_public else _STAFF_COLUMNS)).join(
        ids, ids.c.id == AuditRecord.id
    )
    if not is_public:
        page = page.outerjoin(_ACTOR, _ACTOR.id == AuditRecord.actor_id)
        page = page.outerjoin(_USER, _USER.id == AuditRecord.user_id)
    return page.order_by(*keyset.order_by(ids.c))


def page_of(
    db: ReadConnection, visible: Collection[Visibility], filter_: LogFilter, page: PageRequest
) -> PageRows:
    """Return a page of `LogRow`.

    visible: what the caller may see; of what is public alone, neither who did it nor to whom.
    """
    values = {name: value for name, value in filter_._asdict().items() if value is not None}
    is_public = set(visible) == {Visibility.PUBLIC}
    build = partial(_page, tuple(sorted(values)), is_public)
    visibilities = sorted(str(item) for item in visible)
    return load_page(db, page, _NEWEST_FIRST, build, {**values, "visibilities": visibilities})
