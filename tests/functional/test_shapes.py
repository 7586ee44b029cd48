"""Every endpoint returns its serializer: each field with its exact name and type."""

import io

import pytest
from PIL import Image
from webtest import TestResponse

from tests.functional.forum import Forum, Person
from tests.serializers import find_errors

ABILITIES = {
    "TopicDetailSerializer": {
        *("update", "destroy", "ban", "unban", "normal", "excellent", "unexcellent"),
        *("close", "open", "reply"),
    },
    "ReplyDetailSerializer": {"update", "destroy"},
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


@pytest.mark.parametrize("path", LISTS)
def test_a_list_is_a_bare_array_of_its_serializer(place: Place, path: str) -> None:
    shown = place.alice.get(path.format(topic=place.topic)).json
    assert isinstance(shown, list)
    assert shown
    assert [text for one in shown for text in find_errors(one, LISTS[path])] == []


@pytest.mark.parametrize("endpoint", ITEMS)
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


@pytest.mark.parametrize("what", ["topics", "replies"])
def test_a_creation_tells_where_it_is(place: Place, what: str) -> None:
    path = "/topics" if what == "topics" else f"/topics/{place.topic}/replies"
    made = place.alice.post(path, title="T", node_id=place.node, body="B")
    assert made.status_int == 201
    assert made.headers["Location"] == f"http://localhost/api/v3/{what}/{made.json['id']}"


def test_every_answer_is_json(place: Place) -> None:
    for path in (*LISTS, "/hello", "/notifications/unread_count"):
        answer = place.alice.get(path.format(topic=place.topic))
        assert answer.headers["Content-Type"] == "application/json"


def test_what_is_absent_is_null_or_empty(forum: Forum, alice: Person) -> None:
    topic = alice.get(f"/topics/{forum.topic(alice, forum.node())}").json
    for key in ("last_reply_user_id", "last_reply_user_login", "replied_at", "closed_at"):
        assert topic[key] is None
    user = alice.get("/users/me").json
    texts = ("location", "company", "codehost", "microblog", "website", "bio", "tagline", "email")
    assert {user[key] for key in texts} == {""}
    node = alice.get("/nodes").json[0]
    assert (node["section_id"], node["section_name"], node["summary"]) == (None, None, "")


def test_a_photo_has_an_absolute_address_where_it_is_served(alice: Person) -> None:
    file = io.BytesIO()
    Image.new("RGB", (2, 3), "red").save(file, "PNG")
    sent = [("file", "a.png", file.getvalue())]
    made = alice.call("POST", "/photos", upload_files=sent)
    assert (made.status_int, list(made.json)) == (201, ["image_url"])
    assert made.json["image_url"].startswith("http://localhost/photos/")
    served = alice.app.get(made.json["image_url"])
    assert served.headers["Content-Type"] == "image/png"
    assert int(served.headers["Content-Length"]) == len(served.body)
    check_harmless(served)
    assert "immutable" in served.headers["Cache-Control"]
    assert Image.open(io.BytesIO(served.body)).getpixel((0, 0)) == (255, 0, 0)


def check_harmless(served: TestResponse) -> None:
    """Check that a browser cannot take an image for another type."""
    assert served.headers["X-Content-Type-Options"] == "nosniff"
    assert served.headers["Content-Security-Policy"].startswith("default-src 'none'")


def test_a_letter_avatar_is_served_where_avatar_url_says(alice: Person) -> None:
    served = alice.app.get(alice.get("/users/me").json["avatar_url"])
    assert served.headers["Content-Type"] == "image/svg+xml; charset=utf-8"
    assert served.body.startswith(b"<svg")
    check_harmless(served)


@pytest.mark.parametrize("path", ["/photos/ab/ab.png", "/photos/../x", "/avatars/me%20.svg"])
def test_a_picture_that_is_not_there_is_404(forum: Forum, path: str) -> None:
    answer = forum.app.get(path, status="*")
    assert (answer.status_int, list(answer.json)) == (404, ["error"])


def test_addresses_stand_under_the_sites_own(make_forum: object, forum: Forum) -> None:
    sited = make_forum(site__url="https://forum.example.org/sub/")  # type: ignore[operator]
    alice = sited.person("alice")
    assert alice.get("/users/me").json["avatar_url"].startswith("https://forum.example.org/sub/")
    made = alice.post("/topics", title="T", node_id=sited.node(), body="B")
    assert made.headers["Location"].startswith("https://forum.example.org/sub/api/v3/topics/")
