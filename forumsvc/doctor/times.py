"""How old something is."""

from datetime import datetime, timedelta

from .. import clock

WEEK = timedelta(days=7)
"""How far back failures are counted: an admin examines the service once a week."""


def age(moment: datetime | None) -> timedelta:
    """Return how long ago a moment was; nothing for None and for the future."""
    return max(timedelta(0), clock.now() - moment) if moment else timedelta(0)


def words(length: timedelta) -> str:
    """Return a length of time for people, in its largest whole unit."""
    seconds = length.total_seconds()
    for unit, size in (("days", 86_400), ("hours", 3600), ("minutes", 60)):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} seconds"
