"""What a test reads of a user's notifications, and the jobs that make them."""

from datetime import timedelta
from typing import Any

from forumsvc import clock
from forumsvc.models import JobKind
from forumsvc.services import jobs
from forumsvc.services.jobs import Claimed
from tests.functional.forum import Forum, Person


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


def claim_notify(forum: Forum) -> Claimed:
    """Claim the job of followers whose turn it is, as the background worker does."""
    with forum.database.session.begin() as db:
        job = jobs.claim(db, JobKind.NOTIFY, clock.now(), timedelta(minutes=1))
    assert job is not None
    return job
