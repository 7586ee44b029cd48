"""Times are shown in UTC, whatever offset they come with."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from forumsvc import clock


def test_a_time_with_another_offset_is_converted():
    moment = datetime(2026, 11, 21, 1, 33, tzinfo=timezone(timedelta(hours=2)))
    assert clock.rfc3339(moment) == "2026-11-20T23:33:00.000Z"
    assert clock.rfc3339(moment.astimezone(UTC)) == "2026-11-20T23:33:00.000Z"


def test_a_time_without_an_offset_is_refused():
    with pytest.raises(ValueError, match="offset"):
        clock.rfc3339(datetime(2026, 11, 21, 1, 33))  # noqa: DTZ001  # what is refused


@pytest.mark.parametrize("digits", ["1", "123", "123456", "123456789"])
def test_a_time_may_have_up_to_nine_digits_of_a_second(digits):
    moment = clock.parse_rfc3339(f"2026-11-21T01:33:00.{digits}+02:00")
    assert moment is not None
    assert moment.isoformat().startswith("2026-11-20T23:33:00.1")
    assert clock.parse_rfc3339(f"2026-11-21T01:33:00.{digits}000000000Z") is None


def test_a_time_may_be_written_in_small_letters():
    assert clock.parse_rfc3339("2026-11-21t01:33:00z") == datetime(2026, 11, 21, 1, 33, tzinfo=UTC)
