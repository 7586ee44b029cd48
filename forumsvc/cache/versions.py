"""Reads the cache versions: one small SELECT tells whether a cached page is still valid."""

from typing import Any

from sqlalchemy import BigInteger, ColumnElement, bindparam, cast, func, select

from ..db.execution import ReadConnection, row
from ..models import CacheVersion, Topic


def _sum(column: Any) -> ColumnElement[int]:
    return cast(func.coalesce(func.sum(column), 0), BigInteger)


def display_names_version() -> ColumnElement[int]:
    """Return a column `names_version`, for a SELECT of something that shows users or nodes."""
    return select(_sum(CacheVersion.names)).scalar_subquery().label("names_version")


def topic_lists_version() -> ColumnElement[int]:
    """Return a column `lists_version`: of all that lists of topics and nodes show."""
    return select(_lists_version()).scalar_subquery().label("lists_version")


def access_version() -> ColumnElement[int]:
    """Return a column `access_version`, for a SELECT that is part of many requests."""
    return select(_sum(CacheVersion.access)).scalar_subquery().label("access_version")


_ACCESS: Any = select(_sum(CacheVersion.access).label("version"))


def load_access_version(db: ReadConnection) -> int:
    """Return the version of the access blocks; 0: there was never any."""
    result = row(db, _ACCESS, {})
    assert result is not None, "a sum is always there"  # noqa: S101
    version: int = result.version
    return version


def _lists_version() -> ColumnElement[int]:
    return _sum(CacheVersion.lists + CacheVersion.names)


_LISTS: Any = select(_lists_version().label("version"), _sum(CacheVersion.access).label("access"))


def load_lists_and_access_versions(db: ReadConnection) -> tuple[int, int]:
    """Return the version of all that lists of topics and nodes show, and of the access blocks."""
    result = row(db, _LISTS, {})
    assert result is not None, "a sum is always there"  # noqa: S101
    return result.version, result.access


_TOPIC: Any = select(Topic.version, Topic.hits, display_names_version(), access_version()).where(
    Topic.id == bindparam("id")
)


def load_topic_version(db: ReadConnection, topic_id: int) -> Any | None:
    """Return a topic's `version`, `names_version`, `hits` and `access_version`; None without it.

    The first two cover all that the topic and its replies show, except the hits.
    """
    return row(db, _TOPIC, {"id": topic_id})
