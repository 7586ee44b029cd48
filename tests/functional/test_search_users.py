"""Finding users by the beginning of their login or name."""

import pytest

from forumsvc.services import accounts
from tests.databases import on_postgresql
from tests.functional.conftest import MakeForum
from tests.functional.forum import Forum, Person

pytestmark = pytest.mark.both_databases


def logins(caller: Person, **parameters: object) -> list[str]:
    answer = caller.get("/search/users", **parameters)
    assert answer.status_int == 200, answer.text
    return [one["login"] for one in answer.json]


def test_a_login_or_a_name_begins_with_the_text_in_any_case(forum: Forum, alice: Person) -> None:
    forum.person("Bobby")
    forum.person("zed")
    alice.put("/users/me", name="Ærger Żółć")
    assert logins(alice, q="BOB") == ["Bobby"]
    assert logins(alice, q="@bob") == ["Bobby"]
    assert logins(alice, q="obby") == []
    for query in ("ærger z", "aerger zolc", "ÆRGER ŻÓŁĆ"):
        assert logins(alice, q=query) == ["alice"]
    assert logins(alice, q="\u200b.") == []


def test_whom_i_follow_comes_first_then_who_wrote_in_the_topic_then_who_replied_most(
    forum: Forum, bob: Person, node: int
) -> None:
    people = [forum.person(f"user{number}") for number in range(4)]
    topic = forum.topic(people[1], node)
    forum.reply(people[2], topic)
    forum.change(people[3].id, replies_count=9)
    bob.post("/users/user0/follow")
    assert logins(bob, q="user", topic_id=topic) == ["user0", "user2", "user1", "user3"]
    assert logins(bob, q="user") == ["user0", "user3", "user2", "user1"]
    assert logins(forum.nobody, q="user", limit=2) == ["user3", "user2"]  # type: ignore[arg-type]


def test_deleted_users_are_not_found_and_their_names_are_gone(forum: Forum, bob: Person) -> None:
    bob.put("/users/me", name="Robert")
    with forum.database.session.begin() as db:
        accounts.delete(db, bob.login)
    assert logins(forum.nobody, q="bob") == []  # type: ignore[arg-type]
    assert logins(forum.nobody, q="robert") == []  # type: ignore[arg-type]


def test_a_changed_name_is_found_and_the_former_one_is_not(forum: Forum, bob: Person) -> None:
    bob.put("/users/me", name="Robert")
    bob.put("/users/me", name="Bert")
    assert (logins(bob, q="rob"), logins(bob, q="bert")) == ([], ["bob"])


def test_an_unknown_topic_is_not_found(forum: Forum, alice: Person, topic: int) -> None:
    assert alice.get("/search/users", q="a", topic_id=topic + 1).status_int == 404
    moderator = forum.person("m", role="maintainer")
    moderator.post(f"/topics/{topic}/ban")
    assert forum.nobody.get("/search/users", q="a", topic_id=topic).status_int == 404


def test_searches_of_users_count_as_searches(make_forum: MakeForum) -> None:
    forum = make_forum(rate_limit__searches="2/minute")
    paths = ("/api/v3/search/users?q=bob", "/search?q=bob&kind=users") * 2
    answers = [forum.app.get(path, status="*").status_int for path in paths]
    assert answers == [200, 200, 429, 429]


@on_postgresql
def test_a_search_whose_connection_is_lost_at_its_start_is_503(
    forum: Forum, monkeypatch: pytest.MonkeyPatch
) -> None:
    reads = forum.registry.search_reads
    monkeypatch.setattr(reads, "_begin", "SELECT pg_terminate_backend(pg_backend_pid())")
    assert forum.nobody.get("/search/users", q="bob").status_int == 503
