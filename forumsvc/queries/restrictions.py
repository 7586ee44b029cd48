"""Reading the silences and warnings of users."""

from datetime import datetime
from functools import cache, partial
from typing import Any, Protocol

from sqlalchemy import bindparam, null, select
from sqlalchemy.orm import aliased

from ..db.compiled_statement import Query
from ..db.execution import ReadConnection
from ..db.keyset_paging import KeysetPage, PageRequest, PageRows, SortOrder, load_page
from ..models import Restriction, User
from .rows import ByRow, columns
from .user_columns import summary


class RestrictionRow(ByRow, Protocol):
    """A silence or a warning, for `presenters.restrictions.restriction`.

    note and the columns of the moderator (`by_…`) are None for the user.
    """

    id: int
    kind: str
    reason: str
    note: str | None
    topic_id: int | None
    reply_id: int | None
    started_at: datetime
    until: datetime | None
    lifted_at: datetime | None


_NEWEST_FIRST = SortOrder("restrictions", id=Restriction.id)
_BY = aliased(User)
_COLUMNS = columns(Restriction, RestrictionRow, without={"note"})
_NOTES: tuple[Any, ...] = (Restriction.note, *summary(_BY, "by"))
_NO_NOTES: tuple[Any, ...] = tuple(
    null().label(name) for name in ("note", "by_id", "by_login", "by_name", "by_avatar")
)


@cache
def _page(with_notes: bool, keyset: KeysetPage) -> Query:
    statement = select(*_COLUMNS, *(_NOTES if with_notes else _NO_NOTES))
    if with_notes:
        statement = statement.outerjoin(_BY, _BY.id == Restriction.by_id)
    of_user = statement.where(Restriction.user_id == bindparam("user_id"))
    return keyset.apply(of_user)


def of_user(db: ReadConnection, user_id: int, page: PageRequest, *, with_notes: bool) -> PageRows:
    """Return a page of a user's `RestrictionRow`, the newest first.

    with_notes: also who decided it, and the notes for moderators; else these are None.
    """
    build = partial(_page, with_notes)
    return load_page(db, page, _NEWEST_FIRST, build, {"user_id": user_id})
