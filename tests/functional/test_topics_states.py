"""The states of a topic: banned, deleted, closed, excellent; and their effects on counters."""

import pytest

from tests.cases import each
from tests.functional.forum import Caller, Forum, Person
from tests.functional.recounting import drift
from tests.functional.statements import of_request

pytestmark = pytest.mark.usefixtures("advancing_clock")


def act(caller: Caller, topic: int, kind: str) -> None:
    """Perform an action on a topic as an authorized user."""
    done = caller.post(f"/topics/{topic}/action?type={kind}")
    assert (done.status_int, done.json) == (200, {"ok": 1})


def ids(caller: Caller, path: str) -> list[int]:
    """Return the ids of what is listed at a path."""
    return [item["id"] for item in caller.get(path).json]


@pytest.fixture
def chief(forum: Forum) -> Person:
    return forum.person("chief", role="maintainer")


HIDINGS = ["ban", "delete"]


def hide(caller: Caller, topic: int, how: str) -> None:
    """Ban or delete a topic."""
    if how == "ban":
        act(caller, topic, "ban")
    else:
        assert caller.delete(f"/topics/{topic}").json == {"ok": 1}


LISTS = ["/topics", *(f"/topics?type={kind}" for kind in ("recent", "no_reply", "popular"))]
LISTS += ["/topics?type=excellent", "/topics?node_id={}", "/topics?type=recent&node_id={}"]
LISTS += [f"/users/alice/topics?order={order}" for order in ("recent", "likes", "replies")]
LISTS += ["/users/bob/favorites"]


@pytest.mark.parametrize("how", HIDINGS)
def test_a_hidden_topic_is_in_no_list_not_even_of_those_who_still_read_it(
    forum: Forum, alice: Person, bob: Person, chief: Person, node: int, how: str
) -> None:
    topic = forum.topic(alice, node)
    act(chief, topic, "excellent")
    bob.post(f"/topics/{topic}/favorite")
    paths = [path.format(node) for path in LISTS]
    assert {path: ids(chief, path) for path in paths} == {path: [topic] for path in paths}
    hide(chief, topic, how)
    for reader in (forum.nobody, alice, bob, chief):
        assert {path: ids(reader, path) for path in paths} == {path: [] for path in paths}


@pytest.mark.parametrize("how", HIDINGS)
def test_the_replies_under_a_hidden_topic_leave_the_pages_of_their_authors(
    forum: Forum, bob: Person, chief: Person, topic: int, how: str
) -> None:
    reply = forum.reply(bob, topic)
    assert ids(bob, "/users/bob/replies") == [reply]
    hide(chief, topic, how)
    assert ids(bob, "/users/bob/replies") == ids(chief, "/users/bob/replies") == []


@pytest.mark.parametrize("how", HIDINGS)
def test_a_hidden_topic_leaves_the_counters_of_everybody_it_counted_for(
    forum: Forum, bob: Person, alice: Person, chief: Person, topic: int, how: str
) -> None:
    reply = forum.reply(bob, topic)
    forum.reply(bob, topic)
    gone = forum.reply(bob, topic)
    bob.delete(f"/replies/{gone}")
    bob.post(f"/topics/{topic}/favorite")
    bob.post("/likes", obj_type="reply", obj_id=reply)
    node = alice.get(f"/topics/{topic}").json["node_id"]

    def counters() -> tuple[int, int, int, int]:
        of_bob = bob.get("/users/me").json
        return (
            alice.get("/users/me").json["topics_count"],
            of_bob["replies_count"],
            of_bob["favorites_count"],
            alice.get(f"/nodes/{node}").json["topics_count"],
        )

    assert counters() == (1, 2, 1, 1)
    hide(chief, topic, how)
    assert counters() == (0, 0, 0, 0)
    assert drift(forum.database) == []


def test_a_hidden_topic_is_taken_from_all_counters_of_its_users_at_once(
    forum: Forum, bob: Person, chief: Person, node: int
) -> None:
    topic = forum.topic(chief, node)
    forum.reply(bob, topic)
    bob.post(f"/topics/{topic}/favorite")
    forum.reply(chief, topic, "An answer to @bob")
    assert bob.get("/notifications/unread_count").json == {"count": 1}
    hidden = of_request(forum, chief, "DELETE", f"/topics/{topic}")
    assert len([text for text in hidden.texts if text.startswith("UPDATE users")]) == 1
    assert drift(forum.database) == []


def test_an_unbanned_topic_is_counted_and_listed_again(
    forum: Forum, bob: Person, alice: Person, chief: Person, topic: int
) -> None:
    reply = forum.reply(bob, topic)
    bob.post(f"/topics/{topic}/favorite")
    before = bob.get("/users/me").json, alice.get("/users/me").json
    act(chief, topic, "ban")
    act(chief, topic, "unban")
    assert (bob.get("/users/me").json, alice.get("/users/me").json) == before
    assert ids(bob, "/topics") == ids(bob, "/users/bob/favorites") == [topic]
    assert ids(bob, "/users/bob/replies") == [reply]
    assert drift(forum.database) == []


@each("ban", ["action?type=ban", "ban"])
@each("unban", ["action?type=unban", "action?type=normal"])
def test_a_topic_is_banned_by_an_action_or_a_path_and_unbanned_by_either_word(
    forum: Forum, chief: Person, topic: int, ban: str, unban: str
) -> None:
    for how, status in ((ban, 404), (unban, 200)):
        assert chief.post(f"/topics/{topic}/{how}").json == {"ok": 1}
        assert forum.nobody.get(f"/topics/{topic}").status_int == status


def test_a_topic_that_was_banned_and_deleted_twice_is_subtracted_once(
    forum: Forum, alice: Person, chief: Person, topic: int
) -> None:
    act(chief, topic, "ban")
    for _ in range(2):
        hide(chief, topic, "delete")
    act(chief, topic, "unban")
    assert alice.get("/users/me").json["topics_count"] == 0
    assert chief.get(f"/topics/{topic}").json["deleted"] is True
    assert drift(forum.database) == []


@pytest.mark.parametrize(
    "kinds",
    [
        *(["ban"] * 2, ["excellent"] * 2, ["close"] * 2),
        *(["unban"], ["normal"], ["unexcellent"], ["open"]),
    ],
    ids=" ".join,
)
def test_an_action_changes_nothing_if_its_state_holds_already(
    forum: Forum, chief: Person, topic: int, kinds: list[str]
) -> None:
    *before, last = kinds
    for kind in before:
        act(chief, topic, kind)
    once = chief.get(f"/topics/{topic}").json
    act(chief, topic, last)
    assert {**chief.get(f"/topics/{topic}").json, "hits": 0} == {**once, "hits": 0}
    assert drift(forum.database) == []


def test_a_closed_topic_takes_replies_of_moderators_only_until_it_is_opened(
    forum: Forum, alice: Person, bob: Person, chief: Person, topic: int
) -> None:
    act(alice, topic, "close")
    shown = alice.get(f"/topics/{topic}").json
    assert shown["closed_at"] > shown["created_at"]
    for person in (alice, bob):
        refused = person.post(f"/topics/{topic}/replies", body="x")
        assert (refused.status_int, "closed" in refused.json["error"]) == (403, True)
    forum.reply(chief, topic)
    act(alice, topic, "open")
    assert alice.get(f"/topics/{topic}").json["closed_at"] is None
    forum.reply(bob, topic)


def test_closing_a_closed_topic_leaves_it_with_who_closed_it_first(
    alice: Person, chief: Person, topic: int
) -> None:
    act(alice, topic, "close")
    act(chief, topic, "close")
    act(alice, topic, "open")


def test_actions_and_likes_do_not_move_a_topic_in_the_list(
    forum: Forum, alice: Person, chief: Person, topic: int
) -> None:
    newer = forum.topic(alice, forum.node("Other"))
    for kind in ("close", "open", "excellent", "unexcellent", "ban", "unban"):
        act(chief, topic, kind)
    chief.post("/likes", obj_type="topic", obj_id=topic)
    assert ids(alice, "/topics") == [newer, topic]
