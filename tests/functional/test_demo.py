"""The demo community through the API: no list is empty, and every count is right."""

import pytest

from forumsvc.demo import DEMO_LOGIN, Size, load
from forumsvc.demo.language import themes
from forumsvc.markup import Renderer
from tests.functional.forum import Caller, Forum

SIZE = Size(users=30, topics=60, replies=300)
VISIBLE = 58
"""The topics that are neither banned nor deleted."""


@pytest.fixture
def demo(forum: Forum) -> Caller:
    """The demo user of a forum with demo data."""
    load(forum.database, SIZE, 1, renderer=Renderer(workers=0))
    return forum.caller(forum.token(1))


def pages(caller: Caller, path: str, **params: str) -> list[dict]:
    """Return all entries of a list."""
    entries: list[dict] = []
    while page := caller.get(path, limit="150", offset=str(len(entries)), **params).json:
        entries += page
        assert len(entries) < 100_000
    return entries


def test_every_topic_list_shows_the_demo_in_its_order(demo: Caller) -> None:
    active = pages(demo, "/topics")
    assert len(active) == VISIBLE
    moments = [it["replied_at"] or it["created_at"] for it in active]
    assert moments == sorted(moments, reverse=True)
    recent = [it["id"] for it in pages(demo, "/topics", type="recent")]
    assert recent == sorted(recent, reverse=True)
    likes = [it["likes_count"] for it in pages(demo, "/topics", type="popular")]
    assert likes == sorted(likes, reverse=True)
    assert likes[0] > 0
    silent = pages(demo, "/topics", type="no_reply")
    assert len(silent) == sum(it["replies_count"] == 0 for it in active) > 0
    featured = pages(demo, "/topics", type="excellent")
    assert len(featured) == sum(it["excellent"] for it in active) > 0


def test_every_node_holds_as_many_topics_as_it_says(demo: Caller) -> None:
    nodes = demo.get("/nodes").json
    assert [node["name"] for node in nodes] == [theme.name for theme in themes("en")]
    assert sum(node["topics_count"] for node in nodes) == VISIBLE
    for node in nodes:
        listed = pages(demo, "/topics", node_id=str(node["id"]))
        assert len(listed) == node["topics_count"]
        assert node["section_name"]


def test_the_busiest_topic_shows_all_its_replies(demo: Caller) -> None:
    busiest = max(pages(demo, "/topics"), key=lambda topic: topic["replies_count"])
    topic = demo.get(f"/topics/{busiest['id']}").json
    replies = pages(demo, f"/topics/{topic['id']}/replies")
    left = [reply for reply in replies if not reply["deleted"]]
    assert len(left) == topic["replies_count"] > 20
    assert left[-1]["created_at"] == topic["replied_at"]
    assert left[-1]["user"]["login"] == topic["last_reply_user_login"]


def test_the_demo_users_lists_are_as_long_as_their_counters(demo: Caller) -> None:
    me = demo.get("/users/me").json
    assert (me["login"], me["level"]) == (DEMO_LOGIN, "member")
    for path in ("topics", "replies", "favorites", "followers", "following"):
        assert len(pages(demo, f"/users/{DEMO_LOGIN}/{path}")) == me[f"{path}_count"] > 0, path


def test_the_demo_user_has_notifications_to_read(demo: Caller) -> None:
    notifications = pages(demo, "/notifications")
    unread = [it for it in notifications if not it["read"]]
    assert len(unread) == demo.get("/notifications/unread_count").json["count"] > 0
    assert {"TopicReply", "Mention"} <= {it["type"] for it in notifications}
    ids = [it["id"] for it in notifications]
    assert ids == sorted(ids, reverse=True)
    demo.post("/notifications/read", ids=",".join(map(str, ids)))
    assert demo.get("/notifications/unread_count").json == {"count": 0}


def test_new_rows_have_ids_after_those_of_the_demo(demo: Caller) -> None:
    node_id = str(demo.get("/nodes").json[0]["id"])
    last_id = max(it["id"] for it in pages(demo, "/topics"))
    topic = demo.post("/topics", title="After the demo", node_id=node_id, body="Hello").json
    assert topic["id"] > last_id
    assert demo.get("/topics").json[0]["id"] == topic["id"]
    reply = demo.post(f"/topics/{topic['id']}/replies", body="And on").json
    assert reply["id"] > SIZE.replies
    liked = demo.post("/likes", obj_type="reply", obj_id=str(reply["id"])).json
    assert liked == {"count": 1}
