"""Follows, blocks and favorites: idempotent operations, counted exactly."""

from tests.functional.forum import Forum, Person
from tests.functional.recounting import drift

OK = (200, {"ok": 1})


def send(person: Person, path: str) -> tuple[int, object]:
    """POST and return status and body."""
    answer = person.post(path)
    return answer.status_int, answer.json


def logins(person: Person, path: str) -> list[str]:
    """Return the logins listed at a path."""
    return [user["login"] for user in person.get(path).json]


def counted(person: Person, *names: str) -> tuple[int, ...]:
    """Return counters of the person."""
    shown = person.get("/users/me").json
    return tuple(shown[f"{name}_count"] for name in names)


def test_following_a_user_is_counted_once_at_both_ends(
    forum: Forum, alice: Person, bob: Person
) -> None:
    steps = [
        (alice, "bob/follow", (1, 0), (0, 1)),
        (alice, "bob/follow", (1, 0), (0, 1)),
        (bob, "alice/follow", (1, 1), (1, 1)),
        (alice, "bob/unfollow", (0, 1), (1, 0)),
        (alice, "bob/unfollow", (0, 1), (1, 0)),
    ]
    for person, path, of_alice, of_bob in steps:
        assert send(person, f"/users/{path}") == OK
        assert counted(alice, "following", "followers") == of_alice
        assert counted(bob, "following", "followers") == of_bob
    assert logins(alice, "/users/bob/following") == ["alice"]
    assert logins(alice, "/users/alice/followers") == ["bob"]
    assert logins(alice, "/users/alice/following") == logins(alice, "/users/bob/followers") == []
    assert drift(forum.database) == []


def test_a_user_is_followed_by_login_or_id_alike(alice: Person, bob: Person) -> None:
    send(alice, f"/users/{bob.id}/follow")
    send(alice, "/users/BOB/follow")
    assert counted(bob, "followers") == (1,)


def test_blocking_lists_the_user_and_unblocking_takes_him_off(alice: Person, bob: Person) -> None:
    assert [send(alice, "/users/bob/block") for _ in range(2)] == [OK, OK]
    assert logins(alice, "/users/alice/blocked") == ["bob"]
    assert [send(alice, "/users/bob/unblock") for _ in range(2)] == [OK, OK]
    assert logins(alice, "/users/me/blocked") == []


def test_blocking_leaves_follows_as_they_are(alice: Person, bob: Person) -> None:
    send(alice, "/users/bob/follow")
    send(bob, "/users/alice/follow")
    send(alice, "/users/bob/block")
    assert counted(alice, "following", "followers") == (1, 1)
    assert logins(alice, "/users/alice/following") == ["bob"]


def test_blocked_users_topics_leave_the_blockers_lists_and_nobody_elses(
    forum: Forum, alice: Person, bob: Person
) -> None:
    chief, node = forum.person("chief", role="admin"), forum.node()
    topics = [forum.topic(author, node) for author in (alice, bob, bob)]
    for topic in topics:
        chief.post(f"/topics/{topic}/action?type=excellent")
    kinds = ("last_actived", "recent", "no_reply", "popular", "excellent")
    paths = [f"/topics?type={kind}{more}" for kind in kinds for more in ("", f"&node_id={node}")]
    for action, of_alice in (("block", topics[:1]), ("unblock", topics[::-1])):
        send(alice, f"/users/bob/{action}")
        for path in paths:
            assert [t["id"] for t in alice.get(path).json] == of_alice, path
            for other in (bob, forum.nobody):
                assert [t["id"] for t in other.get(path).json] == topics[::-1], path


def test_a_page_of_a_blocker_is_full_where_enough_topics_are_left(
    forum: Forum, node: int, alice: Person, bob: Person
) -> None:
    own = [forum.topic(author, node) for author in (alice, bob, alice, bob, alice)][::2][::-1]
    send(alice, "/users/bob/block")
    assert [t["id"] for t in alice.get("/topics?limit=2").json] == own[:2]
    assert [t["id"] for t in alice.get("/topics?limit=2&offset=2").json] == own[2:]


def test_a_favorite_is_counted_and_listed(forum: Forum, alice: Person, bob: Person) -> None:
    topic = forum.topic(bob, forum.node())
    assert [send(alice, f"/topics/{topic}/favorite") for _ in range(2)] == [OK, OK]
    assert counted(alice, "favorites") == (1,)
    assert [t["id"] for t in forum.nobody.get("/users/alice/favorites").json] == [topic]
    assert [send(alice, f"/topics/{topic}/unfavorite") for _ in range(2)] == [OK, OK]
    assert counted(alice, "favorites") == (0,)
    assert drift(forum.database) == []


def test_a_favorite_of_a_hidden_topic_that_a_moderator_drops_is_not_subtracted_twice(
    forum: Forum, bob: Person
) -> None:
    chief, node = forum.person("chief", role="admin"), forum.node()
    topic, other = forum.topic(bob, node), forum.topic(bob, node)
    for kept in (topic, other):
        send(chief, f"/topics/{kept}/favorite")
    send(chief, f"/topics/{topic}/action?type=ban")
    assert counted(chief, "favorites") == (1,)
    send(chief, f"/topics/{topic}/unfavorite")
    assert counted(chief, "favorites") == (1,)
    send(chief, f"/topics/{topic}/favorite")
    assert counted(chief, "favorites") == (1,)
    send(chief, f"/topics/{topic}/action?type=unban")
    assert counted(chief, "favorites") == (2,)


def test_following_a_topic_is_idempotent_both_ways(
    forum: Forum, alice: Person, bob: Person
) -> None:
    topic = forum.topic(bob, forum.node())
    assert [send(alice, f"/topics/{topic}/follow") for _ in range(2)] == [OK, OK]
    forum.reply(bob, topic)
    assert len(alice.get("/notifications").json) == 1
    assert [send(alice, f"/topics/{topic}/unfollow") for _ in range(2)] == [OK, OK]
    forum.reply(bob, topic)
    assert len(alice.get("/notifications").json) == 1
