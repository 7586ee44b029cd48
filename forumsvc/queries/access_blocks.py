"""Reading access blocks."""

from collections.abc import Sequence
from datetime import datetime
from functools import cache
from typing import Any, Protocol

from sqlalchemy import Row, Select, bindparam, or_, select

from ..db.compiled_statement import Query
from ..db.execution import ReadConnection, SqlConnection, row, rows
from ..db.keyset_paging import KeysetPage, PageRequest, PageRows, SortOrder, load_page
from ..models import AccessBlock, AccessBlockKind, User
from .rows import ByRow, columns
from .user_columns import summary


class AccessBlockRow(ByRow, Protocol):
    """A block, for `presenters.access_blocks.access_block`."""

    id: int
    kind: str
    value: str
    severity: str
    reason: str
    created_at: datetime
    expires_at: datetime | None


_NEWEST_FIRST = SortOrder("access_blocks", id=AccessBlock.id)
_COLUMNS = (*columns(AccessBlock, AccessBlockRow), *summary(User, "by"))


def _select() -> Select[Any]:
    return select(*_COLUMNS).outerjoin(User, User.id == AccessBlock.by_id)


_BY_ID: Any = _select().where(AccessBlock.id == bindparam("id"))


def by_id(db: ReadConnection, block_id: int) -> AccessBlockRow | None:
    return row(db, _BY_ID, {"id": block_id})


@cache
def _page(keyset: KeysetPage) -> Query:
    return keyset.apply(_select())


def page_of(db: ReadConnection, page: PageRequest) -> PageRows:
    """Return a page of all blocks, the newest first; also of those that have ended."""
    return load_page(db, page, _NEWEST_FIRST, _page, {})


_NETWORKS: Any = select(AccessBlock.value, AccessBlock.severity, AccessBlock.expires_at).where(
    AccessBlock.kind == AccessBlockKind.ADDRESS
)


def networks(db: ReadConnection) -> Sequence[Row[Any]]:
    """Return value, severity and expires_at of all blocks of networks."""
    return rows(db, _NETWORKS, {})


def severities_of_email(
    db: SqlConnection, email: Sequence[str], domains: Sequence[str], now: datetime
) -> Sequence[str]:
    """Return the severities of the blocks that hold for an email address now.

    email: in its normal form, and as its digest; domains: its domain, and those that this is a
    subdomain of.
    """
    block = AccessBlock
    is_email = (block.kind == AccessBlockKind.EMAIL) & block.value.in_(email)
    is_domain = (block.kind == AccessBlockKind.EMAIL_DOMAIN) & block.value.in_(domains)
    holds = or_(block.expires_at.is_(None), block.expires_at > now)
    return db.scalars(select(block.severity).where(or_(is_email, is_domain), holds)).all()
