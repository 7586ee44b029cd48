"""The page cache of the service: one entry for one URL, whoever requests it and however."""

import itertools
import threading
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from sqlalchemy.orm import Session

from forumsvc.cache.single_flight import SingleFlight
from forumsvc.queries import topic_lists
from forumsvc.services.accounts import accounts
from forumsvc.services.moderation import restrictions
from tests.functional.forum import Forum, Person
from tests.functional.statements import counting
from tests.functional.threads import alone, together

pytestmark = pytest.mark.both_databases


def keys(forum: Forum) -> list[Any]:
    return [key for key in forum.registry.page_cache._entries if key[0] != "topic"]


def test_a_page_is_cached_once_however_its_id_is_spelled(forum):
    alice = forum.person("alice")
    topic = forum.topic(alice, forum.node())
    forum.reply(alice, topic)
    before = len(keys(forum))
    for path in ("/topics/{}", "/topics/{}.json", "/topics/{}/replies"):
        answers = [
            forum.nobody.get(path.format(f"{zeros}{topic}")) for zeros in ("0000", "", "0", "00")
        ]
        assert {answer.status_int for answer in answers} == {200}
        assert len({answer.headers["ETag"] for answer in answers}) == 1
        links = {answer.headers.get("Link") for answer in answers}
        assert links == {answers[1].headers.get("Link")}
    assert len(keys(forum)) - before == 2


def test_a_list_names_the_id_in_its_one_spelling_in_its_links(forum):
    topic = forum.topic(forum.person("alice"), forum.node())
    link = forum.nobody.get(f"/topics/000{topic}/replies").headers["Link"]
    assert f"/api/v3/topics/{topic}/replies?" in link


def test_pages_are_cached_under_the_names_of_their_operations(forum, topic):
    for path in ("/topics", f"/topics/{topic}/replies", "/nodes"):
        assert forum.nobody.get(path).status_int == 200
    assert {key[0] for key in keys(forum)} >= {
        "topics.list_topics",
        "topics.list_replies",
        "nodes.list_nodes",
    }


PATHS = ("/topics", "/nodes", "/topics/{}", "/topics/{}/replies")


def tags(forum: Forum, topic: int) -> list[str]:
    """Return the ETags of all kinds of cached pages."""
    return [forum.nobody.get(path.format(topic)).headers["ETag"] for path in PATHS]


@pytest.mark.parametrize(
    "edit",
    [
        {"bio": "New", "location": "Rome", "tagline": "Hi", "email_public": "true"},
        {"name": "Alice", "bio": "New"},
        {"name": "Alice", "avatar": ""},
    ],
    ids=["no name", "the same name", "nothing new"],
)
def test_a_profile_edit_that_no_page_shows_invalidates_nothing(forum, alice, edit):
    alice.put("/users/me", name="Alice")
    topic = forum.topic(alice, forum.node())
    before = tags(forum, topic)
    assert alice.put("/users/me", **edit).status_int == 200
    with counting(forum.registry.database) as seen:
        assert tags(forum, topic) == before
    assert all("change_marks" in statement for statement in seen.texts), seen.texts
    assert alice.get("/users/me").json["bio"] == edit.get("bio", "")


ACCOUNT_CHANGES: dict[str, Callable[[Session], Any]] = {
    "a new password": lambda db: accounts.set_password(db, "alice", "correct horse battery"),
    "a block": lambda db: restrictions.silence_without_reason(db, "alice"),
}


@pytest.mark.parametrize("name", ACCOUNT_CHANGES)
def test_a_change_of_an_account_that_no_page_shows_invalidates_nothing(forum, name):
    alice: Person = forum.person("alice")
    topic = forum.topic(alice, forum.node())
    before = tags(forum, topic)
    with forum.database.session.begin() as db:
        ACCOUNT_CHANGES[name](db)
    assert tags(forum, topic) == before


CALLERS = 6


def read_together(
    forum: Forum, monkeypatch: pytest.MonkeyPatch, make: Callable[..., Any]
) -> tuple[list[int], int]:
    """Let callers ask for one page that is not cached; return their statuses and how often it was
    made. The first maker begins when all have read the version.

    make: makes the page; called with the number of the attempt and what makes it really.
    """
    forum.topic(forum.person("alice"), forum.node())
    callers = [alone(forum, forum.nobody) for _ in range(CALLERS)]
    asked = threading.Semaphore(0)
    all_asked = threading.Event()
    made = itertools.count(1)
    attempts: list[int] = []

    def note(statement: str, values: Any) -> None:
        if "change_marks" in statement:
            asked.release()

    def count() -> None:
        for _ in range(CALLERS):
            assert asked.acquire(timeout=30)
        all_asked.set()

    forum_list = topic_lists.forum_list

    def counted(*given: Any, **named: Any) -> Any:
        attempts.append(next(made))
        assert all_asked.wait(30)
        return make(attempts[-1], partial(forum_list, *given, **named))

    monkeypatch.setattr(topic_lists, "forum_list", counted)
    query_listeners = forum.registry.database.executor.query_listeners
    query_listeners.append(note)
    try:
        tasks = [lambda one=one: one.get("/topics").status_int for one in callers]
        *statuses, _ = together([*tasks, count])
    finally:
        query_listeners.remove(note)
    return sorted(statuses), len(attempts)


def test_one_thread_makes_a_page_that_many_request_at_once(forum, monkeypatch):
    monkeypatch.setattr(forum.registry, "single_flight", SingleFlight(30))
    found = read_together(forum, monkeypatch, lambda number, really: really())
    assert found == ([200] * CALLERS, 1)


def test_if_the_maker_of_a_page_fails_the_next_thread_makes_it(forum, monkeypatch):
    monkeypatch.setattr(forum.registry, "single_flight", SingleFlight(30))

    def fail_first(number: int, really: Callable[[], Any]) -> Any:
        return 1 / 0 if number == 1 else really()

    found = read_together(forum, monkeypatch, fail_first)
    assert found == ([200] * (CALLERS - 1) + [500], 2)
    assert forum.registry.single_flight._locks == {}
