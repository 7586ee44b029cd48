"""Times as SQLite stores them: texts, mostly without a zone."""

from datetime import UTC, datetime

from sqlalchemy.dialects import sqlite

from forumsvc.db.base import UtcDateTime
from tests.cases import each

TEXTS = {
    "as the service writes it": "2026-11-30 12:00:00.000000",
    "without microseconds": "2026-11-30 12:00:00",
    "with a zone, by somebody's SQL": "2026-11-30 12:00:00+00:00",
    "east": "2026-11-30 14:00:00.000000+02:00",
    "west": "2026-11-30 07:00:00-05:00",
    "Z": "2026-11-30T12:00:00Z",
}


@each("text", TEXTS.values())
def test_a_time_is_read_in_utc_with_and_without_a_zone(text):
    read = UtcDateTime().result_processor(sqlite.dialect(), None)
    found = read(text)
    assert (found, found.tzinfo) == (datetime(2026, 11, 30, 12, tzinfo=UTC), UTC)
    assert read(None) is None
