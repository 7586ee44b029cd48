"""The number of SQL statements of a request: the same for 150 rows as for one."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import pytest

from forumsvc import clock
from forumsvc.models import (
    Favorite,
    Notification,
    Photo,
    Reply,
    ReplyLike,
    Topic,
    TopicLike,
    User,
    UserBlock,
    UserFollow,
)
from tests.functional.forum import Caller, Forum, Person
from tests.functional.rows import insert_rows
from tests.functional.statements import counting, of_request

pytestmark = pytest.mark.both_databases

TOKEN = 1
"""Loads the access token."""

MARK = 1
"""Reads the version of the lists."""

READS = {
    "/topics": 1 + MARK,
    "/topics?type=recent": 1 + MARK,
    "/topics?type=no_reply": 1 + MARK,
    "/topics?type=popular": 1 + MARK,
    "/topics?type=excellent": 1 + MARK,
    "/topics?node_id={node}": 1 + MARK,
    "/topics?ids={topics}": 1,
    "/topics/{topic}": 1,
    "/topics/{topic}/replies": 2,
    "/topics/{topic}/replies?order=newest": 2,
    "/topics/{topic}/replies?include=place": 3,
    "/topics/{topic}/replies?around={reply}": 3,
    "/replies?ids={replies}": 1,
    "/replies/{reply}": 1,
    "/users": 1,
    "/users?ids={users}": 1,
    "/users/author": 1,
    "/users/{author}": 1,
    "/users/author/topics": 2,
    "/users/author/topics?order=likes": 2,
    "/users/author/replies": 2,
    "/users/author/favorites": 2,
    "/users/author/followers": 2,
    "/users/author/following": 2,
    "/nodes": 1 + MARK,
    "/nodes/{node}": 1,
    "/site": 0,
}
"""Statements of a read without a token. A list below an item also loads the item."""

KEPT = {
    **{path: MARK for path in READS if path.startswith("/topics") and READS[path] == 1 + MARK},
    "/topics/{topic}": MARK,
    "/topics/{topic}/replies": MARK,
    "/nodes": MARK,
}
"""Statements of a repeated read while nothing has changed."""

OWN_READS = {
    "/hello": 0,
    "/users/me": 1,
    "/users/me/blocked": 2,
    "/users/me/muted_nodes": 2,
    "/users/me/likes?obj_type=topic": 2,
    "/users/me/likes?obj_type=reply&topic_id={topic}": 2,
    "/notifications": 5,  # one of them for actors who wrote nothing of what is shown
    "/notifications/groups": 5,
    "/photos": 1,
    "/notifications/unread_count": 0,
}
"""Statements of reads of a user's own data, without the token's."""


@dataclass
class Scene:
    """A forum in which every list has `rows` rows."""

    forum: Forum
    author: Person
    names: dict[str, Any]

    def path(self, template: str) -> str:
        """Return a path of the tables above for this forum."""
        return template.format(**self.names)

    def cost(self, caller: Caller, template: str) -> int:
        path = self.path(template)
        most = 100 if path.partition("?")[0] == "/users" else 150
        whole = f"{path}{'&' if '?' in path else '?'}limit={most}"
        return len(of_request(self.forum, caller, "GET", whole))


def photo_row(user_id: int, number: int) -> dict[str, Any]:
    digest = f"{number:064x}"
    named = {"user_id": user_id, "name": f"00/{digest}.png", "digest": digest, "storage": "local"}
    size = {"width": 1, "height": 1, "size": 9}
    return {
        **named,
        **size,
        "media_type": "image/png",
        "storage": "local",
        "created_at": clock.now(),
    }


def fill(forum: Forum, rows: int) -> Scene:
    """Fill every list with that many rows, if possible each with another author."""
    author, node = forum.person("author"), forum.node()
    with forum.database.session.begin() as db:

        def add(model: Any, rows: Iterable[dict[str, Any]]) -> list[int]:
            return insert_rows(db, model, rows)

        numbers = range(1, rows + 1)
        people = add(User, ({"login": f"u{n}", "replies_count": 1} for n in numbers))
        now = clock.now()
        state = {"node_id": node, "excellent_at": now, "last_active_at": now}
        topics = add(Topic, ({**state, "user_id": author.id} for _ in people))
        add(Topic, ({**state, "user_id": user} for user in people))
        replies = add(Reply, ({"topic_id": topics[0], "user_id": author.id} for _ in people))
        add(Reply, ({"topic_id": topics[0], "user_id": user} for user in people))
        for to_users in (UserFollow, UserBlock):
            add(to_users, ({"user_id": author.id, "target_id": user} for user in people))
        add(UserFollow, ({"user_id": user, "target_id": author.id} for user in people))
        for to_topics in (Favorite, TopicLike):
            add(to_topics, ({"user_id": author.id, "topic_id": topic} for topic in topics))
        add(ReplyLike, ({"user_id": author.id, "reply_id": reply} for reply in replies))
        add(Photo, (photo_row(author.id, number) for number in numbers))
        for user, topic, reply in zip(people, topics, replies, strict=True):
            of = {"user_id": author.id, "actor_id": user, "topic_id": topic}
            add(Notification, [{**of, "type": "TopicReply", "reply_id": reply}])
            add(Notification, [{**of, "type": "NodeChanged", "node_id": node}])
    names: dict[str, Any] = {"node": node, "author": author.id}
    names |= {"topic": topics[0], "reply": replies[0]}
    listed = {"topics": topics, "replies": replies, "users": people}
    names |= {name: ",".join(map(str, ids[:100])) for name, ids in listed.items()}
    return Scene(forum, author, names)


@pytest.fixture(params=[1, 150])
def scene(request: pytest.FixtureRequest, forum: Forum) -> Scene:
    return fill(forum, request.param)


def test_reading_costs_the_same_for_1_and_150_rows(scene):
    assert {path: scene.cost(scene.forum.nobody, path) for path in READS} == READS


def test_a_cached_page_costs_one_small_statement(scene):
    for path in KEPT:
        scene.cost(scene.forum.nobody, path)
    assert {path: scene.cost(scene.forum.nobody, path) for path in KEPT} == KEPT


def test_reading_with_a_token_costs_one_more(scene):
    expected = {path: cost + TOKEN for path, cost in (READS | OWN_READS).items()}
    # The author blocks others, whose topics the author's lists leave out: no version covers that.
    expected |= {path: 1 + TOKEN for path in KEPT if path.startswith("/topics?")}
    expected["/topics"] = 1 + TOKEN
    # The version of the node list came with the token.
    expected["/nodes"] = READS["/nodes"] - 1 + TOKEN
    # So did that of the topic, whose row is in memory by now.
    expected |= {path: READS[path] - 1 + TOKEN for path in READS if "{topic}/" in path}
    assert {path: scene.cost(scene.author, path) for path in expected} == expected


def test_a_list_without_muted_nodes_costs_no_more(scene):
    muter = scene.forum.person("muter")
    muter.post(f"/nodes/{scene.names['node']}/mute")
    for path in ("/topics", "/topics?type=recent", "/topics?node_id={node}"):
        assert scene.cost(muter, path) == 1 + TOKEN, path


def test_a_cached_page_costs_a_user_no_more_than_the_token(scene):
    reader = scene.forum.person("reader")
    for path in KEPT:
        scene.cost(reader, path)
    assert {path: scene.cost(reader, path) for path in KEPT} == dict.fromkeys(KEPT, TOKEN)


def test_a_topic_cached_for_one_user_is_cached_for_all_but_its_author(scene):
    path, forum = scene.path("/topics/{topic}"), scene.forum
    first, second = forum.person("first"), forum.person("second")
    shown = [reader.get(path).json for reader in (first, scene.author)]
    forum.registry.page_cache.hits = 0
    again = [reader.get(path).json for reader in (second, scene.author)]
    assert [one["abilities"] for one in again] == [one["abilities"] for one in shown]
    assert again[0]["abilities"]["update"] is False
    assert again[1]["abilities"]["update"] is True
    # For each of both: the topic's row, and the page.
    assert forum.registry.page_cache.hits == 4


WITH_STATE = {
    "/topics": 1,
    "/topics?node_id={node}": 1,
    "/topics/{topic}": 1,
    "/topics/{topic}/replies": 1,
    "/replies/{reply}": 1,
    "/users": 1,
    "/users/{author}": 1,
    "/users/author/topics": 2,
    "/users/author/replies": 2,
    "/users/author/favorites": 2,
    "/users/author/followers": 2,
    "/users/author/following": 2,
}
"""Statements of reads with `include=state`, without the token's and the state's."""
STATE = 1


def test_the_state_costs_one_more_statement_and_an_anonymous_caller_none(scene):
    for path, cost in WITH_STATE.items():
        asked = f"{path}{'&' if '?' in path else '?'}include=state"
        assert scene.cost(scene.author, asked) == cost + TOKEN + STATE, path
        assert scene.cost(scene.forum.nobody, asked) == READS[path], path


def test_the_keyed_envelope_loads_the_state_once(make_forum):
    scene = fill(make_forum(api__envelope="keyed", notifications__read_on_open="off"), 3)
    scene.cost(scene.author, "/topics/{topic}")
    for path, cost in {
        "/topics/{topic}": 0,
        "/users/{author}": 1,
        "/topics/{topic}/replies": 1,
    }.items():
        assert scene.cost(scene.author, path) == cost + TOKEN + STATE, path
        assert scene.cost(scene.author, f"{path}?include=state") == cost + TOKEN + STATE, path


def test_a_missing_item_costs_one_statement(forum):
    for path in ("/topics/1", "/replies/1", "/nodes/1", "/users/1", "/users/nobody1"):
        with counting(forum.registry.database) as seen:
            assert forum.nobody.get(path).status_int == 404
        assert len(seen) == 1, path


def test_an_invalid_id_costs_no_statement(forum):
    for path in ("/topics/x", "/replies/0", f"/nodes/{10**30}"):
        with counting(forum.registry.database) as seen:
            assert forum.nobody.get(path).status_int == 404
        assert len(seen) == 0, path
