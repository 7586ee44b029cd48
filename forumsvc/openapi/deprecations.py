"""What stays in the API for older clients, and since when (RFC 9745)."""

from datetime import UTC, datetime

_FIRST_RELEASE = datetime(2026, 11, 1, tzinfo=UTC)

SINCE = {
    "banTopic": _FIRST_RELEASE,
    "normal": _FIRST_RELEASE,
    "updateTopicByPost": _FIRST_RELEASE,
}
"""By the id of the operation in the description, or the type of an action."""
