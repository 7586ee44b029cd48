"""What a test reads of a user's notifications."""

from typing import Any

from tests.functional.forum import Person


def notifications_of(person: Person) -> list[Any]:
    """Return a user's notifications, newest first, and check the unread count."""
    listed = list(person.get("/notifications", limit=150).json)
    unread = sum(not one["read"] for one in listed)
    assert person.get("/notifications/unread_count").json == {"count": unread}
    return listed


def types(person: Person) -> list[str]:
    """Return the types of a user's notifications, newest first."""
    return [one["type"] for one in notifications_of(person)]


def unread(person: Person) -> int:
    """Return the number of a user's unread notifications."""
    return sum(not one["read"] for one in notifications_of(person))
