"""Reading reports of members."""

from collections.abc import Sequence
from datetime import datetime
from functools import cache
from typing import Any, Protocol

from sqlalchemy import Row, Select, bindparam, select
from sqlalchemy.orm import aliased

from ..db.compiled_statement import Query
from ..db.execution import ReadConnection, row, rows
from ..db.keyset_paging import KeysetPage, PageRequest, PageRows, SortOrder, load_page
from ..models import Report, ReportState, Review, User
from .rows import columns
from .user_columns import summary


class ReportRow(Protocol):
    """A report, for `presenters.reports.report`."""

    id: int
    object_key: str
    category: str
    comment: str
    state: str
    created_at: datetime
    resolved_at: datetime | None


_NEWEST_FIRST = SortOrder("reports", id=Report.id)
_COLUMNS = (*columns(Report, ReportRow), Review.object_key)


def _select() -> Select[Any]:
    return select(*_COLUMNS).join(Review, Review.id == Report.review_id)


_BY_ID: Any = _select().where(Report.id == bindparam("id"))


def by_id(db: ReadConnection, report_id: int) -> ReportRow | None:
    return row(db, _BY_ID, {"id": report_id})


_IS_OPEN: Any = (
    select(Report.id)
    .join(Review, Review.id == Report.review_id)
    .where(Report.reporter_id == bindparam("user_id"), Report.state == ReportState.OPEN)
    .where(Review.object_key == bindparam("key"))
    .limit(1)
)


def is_open(db: ReadConnection, user_id: int, key: str) -> bool:
    """Return whether a user has reported something that nobody has decided on yet.

    key: of the object, which its review has.
    """
    return row(db, _IS_OPEN, {"user_id": user_id, "key": key}) is not None


@cache
def _page(keyset: KeysetPage) -> Query:
    of_reporter = _select().where(Report.reporter_id == bindparam("user_id"))
    return keyset.apply(of_reporter)


def of_user(db: ReadConnection, user_id: int, page: PageRequest) -> PageRows:
    """Return a page of a user's own reports, the newest first."""
    return load_page(db, page, _NEWEST_FIRST, _page, {"user_id": user_id})


@cache
def _of_review() -> Select[Any]:
    earlier = aliased(Report)
    text = (
        select(earlier.text)
        .where(earlier.review_id == Report.review_id, earlier.id <= Report.id)
        .where(earlier.text.is_not(None))
        .order_by(earlier.id.desc())
        .limit(1)
        .scalar_subquery()
    )
    return (
        _select()
        .add_columns(text.label("text"), *summary(User, "reporter"))
        .join(User, User.id == Report.reporter_id)
        .where(Report.review_id == bindparam("review_id"))
        .order_by(Report.id)
        .limit(_MOST)
    )


_MOST = 200
"""As many reports of one review are shown."""


def of_review(db: ReadConnection, review_id: int) -> Sequence[Row[Any]]:
    """Return the first reports of a review, the oldest first.

    With their reporters, and `text`: what was reported, None for a user.
    """
    return rows(db, _of_review(), {"review_id": review_id})
