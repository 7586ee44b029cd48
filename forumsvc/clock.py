"""The only clock: every timestamp that is stored or shown comes from here."""

import re
from datetime import UTC, datetime
from functools import lru_cache

_RFC3339 = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,9})?([Zz]|[+-][0-9]{2}:[0-9]{2})"
)


def now() -> datetime:
    """Return the time in UTC, truncated to milliseconds: the precision that is stored and shown."""
    moment = datetime.now(UTC)
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000)


# A page of a list contains more than forty timestamps, most of them the same as last time.
@lru_cache(4096)
def rfc3339(moment: datetime) -> str:
    """Return an aware datetime as RFC 3339 text in UTC: `2026-11-21T01:33:00.000Z`.

    Raises ValueError for a naive one.
    """
    if moment.utcoffset() is None:
        raise ValueError("rfc3339 needs a datetime with an offset")
    return moment.astimezone(UTC).isoformat(timespec="milliseconds")[:-6] + "Z"


def rfc3339_or_none(moment: datetime | None) -> str | None:
    """Return a datetime as `rfc3339` does, or None for None."""
    return None if moment is None else rfc3339(moment)


def parse_rfc3339(text: str) -> datetime | None:
    """Return the time that an RFC 3339 text means, in UTC, or None if it is not one.

    Go, Rust and Java write up to nine digits of a second, of which the first six count.
    """
    if not _RFC3339.fullmatch(text):
        return None
    try:
        return datetime.fromisoformat(text.upper()).astimezone(UTC)
    except (ValueError, OverflowError):
        return None
