"""Every endpoint returns its serializer: each field with its exact name and type."""

import pytest

from tests.cases import each
from tests.functional.conftest import MakeForum
from tests.functional.forum import Forum, Person
from tests.serializers import find_errors

ABILITIES = {
    "TopicDetailSerializer": {
        *("update", "destroy", "ban", "unban", "normal", "excellent", "unexcellent"),
        *("close", "open", "reply", "report"),
    },
    "ReplyDetailSerializer": {"update", "destroy", "report"},
    "UserDetailSerializer": {"follow", "block", "update"},
}
LISTS = {
    "/users": "UserSerializer",
    "/users/alice/topics": "TopicSerializer",
    "/users/alice/favorites": "TopicSerializer",
    "/users/alice/replies": "ReplyDetailSerializer",
    "/users/alice/followers": "UserSerializer",
    "/users/alice/following": "UserSerializer",
    "/users/alice/blocked": "UserSerializer",
    "/nodes": "NodeSerializer",
    "/topics": "TopicSerializer",
    "/topics/{topic}/replies": "ReplySerializer",
    "/notifications": "NotificationSerializer",
}
ITEMS = {
    "GET /users/alice": "UserDetailSerializer",
    "GET /users/me": "UserDetailSerializer",
    "GET /topics/{topic}": "TopicDetailSerializer",
    "PUT /topics/{topic}": "TopicDetailSerializer",
    "POST /topics": "TopicDetailSerializer",
    "GET /replies/{reply}": "ReplyDetailSerializer",
    "POST /replies/{reply}": "ReplyDetailSerializer",
    "POST /topics/{topic}/replies": "ReplyDetailSerializer",
    "GET /nodes/{node}": "NodeSerializer",
}


class Place:
    """A forum in which no list is empty."""

    def __init__(self, forum: Forum) -> None:
        self.alice: Person = forum.person("alice")
        bob = forum.person("bob")
        self.node = forum.node()
        self.topic = forum.topic(self.alice, self.node, body="B @bob")
        self.reply = forum.reply(self.alice, self.topic)
        forum.reply(bob, self.topic, "for @alice")
        forum.reply(bob, self.topic)
        bob.post("/users/alice/follow")
        self.alice.post("/users/bob/follow")
        self.alice.post("/users/bob/block")
        self.alice.post(f"/topics/{self.topic}/favorite")


@pytest.fixture
def place(forum: Forum) -> Place:
    return Place(forum)


@each("path", LISTS)
def test_a_list_is_a_bare_array_of_its_serializer(place: Place, path: str) -> None:
    shown = place.alice.get(path.format(topic=place.topic)).json
    assert isinstance(shown, list)
    assert shown
    assert [text for one in shown for text in find_errors(one, LISTS[path])] == []


@each("endpoint", ITEMS)
def test_one_resource_is_its_serializer_with_abilities(place: Place, endpoint: str) -> None:
    method, path = endpoint.format(**vars(place)).split()
    sent = {"title": "New", "node_id": place.node, "body": "New"} if method != "GET" else {}
    answer = place.alice.call(method, path, sent)
    serializer = ITEMS[endpoint]
    assert answer.status_int in (200, 201)
    shown = answer.json
    abilities = ABILITIES.get(serializer)
    beside = frozenset() if abilities is None else frozenset({"abilities"})
    assert find_errors(shown, serializer, extra_keys=beside) == []
    if abilities is not None:
        assert set(shown["abilities"]) == abilities
        assert {type(may) for may in shown["abilities"].values()} == {bool}


def test_every_answer_is_json(place: Place) -> None:
    for path in (*LISTS, "/hello", "/notifications/unread_count"):
        answer = place.alice.get(path.format(topic=place.topic))
        assert answer.headers["Content-Type"] == "application/json"


def test_addresses_stand_under_the_sites_own(make_forum: MakeForum) -> None:
    sited = make_forum(site__url="https://forum.example.org/sub/")
    alice = sited.person("alice")
    assert alice.get("/users/me").json["avatar_url"].startswith("https://forum.example.org/sub/")
    made = alice.post("/topics", title="T", node_id=sited.node(), body="B")
    assert made.headers["Location"].startswith("https://forum.example.org/sub/api/v3/topics/")
