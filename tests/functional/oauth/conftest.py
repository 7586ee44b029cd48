"""A user with a password, and a client."""

import pytest

from forumsvc import clock
from forumsvc.process.passwords import hash_password
from tests.functional.forum import Forum

from .application import PASSWORD, Application
from .provider import ManualClock, OAuth


def add_ann(forum: Forum) -> int:
    """Add a user who logs in with PASSWORD, and return the id."""
    person = forum.person("Ann")
    forum.change(
        person.id,
        password_hash=hash_password(PASSWORD),
        email="ann@example.org",
        email_key="ann@example.org",
    )
    return person.id


@pytest.fixture
def ann(forum: Forum) -> int:
    """A user who logs in with PASSWORD."""
    return add_ann(forum)


@pytest.fixture
def app(forum: Forum, ann: int) -> Application:
    """A confidential client."""
    return Application(forum)


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> ManualClock:
    """The clock of the service, which stands still until a test advances it."""
    time = ManualClock()
    monkeypatch.setattr(clock, "now", time.now)
    return time


@pytest.fixture
def oauth(time: ManualClock, forum: Forum) -> OAuth:
    """A forum with a user and two clients."""
    return OAuth(forum, time)
