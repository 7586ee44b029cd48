"""Loads the drafts of a user."""

from functools import cache
from typing import Any

from sqlalchemy import Select, bindparam, select

from ..db.execution import ReadConnection, row
from ..db.keyset_paging import KeysetPage, PageRequest, PageRows, SortOrder, load_page
from ..models import Draft
from .rows import DraftRow, columns

_CHANGED_LAST = SortOrder("drafts", updated_at=Draft.updated_at, id=Draft.id)
_COLUMNS = columns(Draft, DraftRow)
_OWN = Draft.user_id == bindparam("user_id")
_BY_KEY: Any = select(*_COLUMNS).where(_OWN, Draft.key == bindparam("key"))


def by_key(db: ReadConnection, user_id: int, key: str) -> DraftRow | None:
    """Return a draft of a user, or None."""
    return row(db, _BY_KEY, {"user_id": user_id, "key": key})


@cache
def _page(keyset: KeysetPage) -> Select[Any]:
    page: Select[Any] = keyset.apply(select(*_COLUMNS).where(_OWN))  # type: ignore[assignment]
    return page


def of_user(db: ReadConnection, user_id: int, page: PageRequest) -> PageRows:
    """Return a page of a user's drafts as DraftRow, the one changed last first."""
    return load_page(db, page, _CHANGED_LAST, _page, {"user_id": user_id})
