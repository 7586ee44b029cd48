"""The demo community through the API: no list is empty, and every count is right."""

from datetime import timedelta

import pytest
from sqlalchemy import func, select

from forumsvc import clock
from forumsvc.demo import ADMIN_LOGIN, DEMO_LOGIN, load
from forumsvc.demo.posts import community
from forumsvc.markup import Renderer
from forumsvc.models import Notification, PostVersion, Topic, User
from forumsvc.services.posts import counters
from tests.functional.forum import Caller, Forum

NODES, _, POSTS = community("mixed")
VISIBLE = sum(bool(it.title) and not {"banned", "deleted"} & it.marks.keys() for it in POSTS)


@pytest.fixture
def demo(forum: Forum) -> Caller:
    """The demo user of a forum with demo data."""
    load(forum.database, renderer=Renderer(workers=0))
    return forum.caller(forum.token(user_id(forum, DEMO_LOGIN)))


def user_id(forum: Forum, login: str) -> int:
    """Return the id of a member."""
    with forum.database.reads.connect() as db:
        return db.execute(select(User.id).where(User.login == login)).scalar_one()


def pages(caller: Caller, path: str, **params: str) -> list[dict]:
    """Return all entries of a list."""
    entries: list[dict] = []
    while page := caller.get(path, limit="150", offset=str(len(entries)), **params).json:
        entries += page
        assert len(entries) < 100_000
    return entries


def test_every_topic_list_shows_the_demo_in_its_order(demo):
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


def test_the_demo_user_has_notifications_to_read(demo):
    notifications = pages(demo, "/notifications")
    unread = [it for it in notifications if not it["read"]]
    assert len(unread) == demo.get("/notifications/unread_count").json["count"] > 0
    assert {"TopicReply", "Mention"} <= {it["type"] for it in notifications}
    ids = [it["id"] for it in notifications]
    assert ids == sorted(ids, reverse=True)
    demo.post("/notifications/read", ids=",".join(map(str, ids)))
    assert demo.get("/notifications/unread_count").json == {"count": 0}


def test_some_posts_of_the_demo_were_edited_and_their_authors_read_what_was_before(demo, forum):
    edited = [it for it in POSTS if "edited" in it.marks]
    with forum.database.reads.connect() as db:
        kept = db.scalars(select(PostVersion.body).order_by(PostVersion.id)).all()
        due = select(func.count()).where(Notification.mail_at.is_not(None))
        assert db.scalar(due) == 0
    assert sorted(kept) == sorted(it.first_body for it in edited)
    [title] = [it.title for it in edited if it.author == DEMO_LOGIN]
    [topic] = [it["id"] for it in pages(demo, "/topics") if it["title"] == title]
    assert demo.get(f"/topics/{topic}").json["edited_at"]
    assert len(demo.get(f"/topics/{topic}/versions").json) == 1
    assert demo.get("/users/me/mail").json["digest"] == "weekly"


def test_new_rows_have_ids_after_those_of_the_demo(demo):
    node_id = str(demo.get("/nodes").json[0]["id"])
    last_id = max(it["id"] for it in pages(demo, "/topics"))
    topic = demo.post("/topics", title="After the demo", node_id=node_id, body="Hello").json
    assert topic["id"] > last_id
    assert demo.get("/topics").json[0]["id"] == topic["id"]
    reply = demo.post(f"/topics/{topic['id']}/replies", body="And on").json
    assert reply["id"] > 0
    liked = demo.post("/likes", obj_type="reply", obj_id=str(reply["id"])).json
    assert liked == {"count": 1}


def test_every_counter_of_the_demo_is_right(demo, forum):
    with forum.database.reads.connect() as db:
        assert [it.name for it in counters.check(db) if it.wrong] == []


def test_moderators_of_the_demo_have_something_to_review(demo, forum):
    admin = forum.caller(forum.token(user_id(forum, ADMIN_LOGIN), scope="moderate"))
    assert len(admin.get("/reviews").json) == sum("reported" in it.marks for it in POSTS)


def test_the_newest_post_of_a_demo_is_of_this_hour(demo, forum):
    with forum.database.reads.connect() as db:
        newest = db.execute(select(func.max(Topic.last_active_at))).scalar_one()
    assert clock.now() - timedelta(hours=1) < newest < clock.now()
