"""Reads the cache versions: one small SELECT tells whether a cached page is still valid."""

from typing import Any, NamedTuple

from sqlalchemy import BigInteger, ColumnElement, Subquery, bindparam, cast, func, select

from ..db.execution import ReadConnection, row
from ..models import CacheVersion, Topic


def _sum(column: Any) -> ColumnElement[int]:
    return cast(func.coalesce(func.sum(column), 0), BigInteger)


def display_names_version() -> ColumnElement[int]:
    """Return a column `names_version`, for a SELECT of something that shows users or nodes."""
    return select(_sum(CacheVersion.names)).scalar_subquery().label("names_version")


def all_versions() -> Subquery:
    """Return one row, for a SELECT that is part of many requests.

    Its columns: `lists_version`, of all that lists of topics and nodes show; `names_version`;
    `access_version`.
    """
    return select(
        _lists_version().label("lists_version"),
        _sum(CacheVersion.names).label("names_version"),
        _sum(CacheVersion.access).label("access_version"),
    ).subquery("versions")


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


class TopicVersion(NamedTuple):
    """The versions of a topic; version and names_version cover all that the topic and its replies
    show, except the hits.
    """

    topic_id: int
    version: int
    hits: int
    names_version: int
    access_version: int


_TOPIC: Any = select(
    Topic.id, Topic.version, Topic.hits, display_names_version(), access_version()
).where(Topic.id == bindparam("id"))


def load_topic_version(db: ReadConnection, topic_id: int) -> TopicVersion | None:
    """Return the versions of a topic, None if there is no such topic."""
    result = row(db, _TOPIC, {"id": topic_id})
    return None if result is None else TopicVersion._make(result)
