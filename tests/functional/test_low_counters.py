"""A counter that is too low keeps nobody from undoing what it counts."""

from collections.abc import Callable

import pytest
from sqlalchemy import update

from forumsvc.models import Node, Reply, Topic, User

pytestmark = pytest.mark.both_databases

LOW = {
    Node: {"topics_count": 0},
    Reply: {"likes_count": 0},
    Topic: {"replies_count": 0, "others_replies_count": 0, "likes_count": 0},
    User: {
        "topics_count": 0,
        "replies_count": 0,
        "favorites_count": 0,
        "following_count": 0,
        "followers_count": 0,
        "unread_count": 0,
    },
}
UNDONE: dict[str, Callable[[int, int], tuple[str, str]]] = {
    "a reply is deleted": lambda topic, reply: ("DELETE", f"/replies/{reply}"),
    "a topic is deleted": lambda topic, reply: ("DELETE", f"/topics/{topic}"),
    "a topic is banned": lambda topic, reply: ("POST", f"/topics/{topic}/action?type=ban"),
    "a topic is unliked": lambda topic, reply: ("DELETE", f"/likes?obj_type=topic&obj_id={topic}"),
    "a reply is unliked": lambda topic, reply: ("DELETE", f"/likes?obj_type=reply&obj_id={reply}"),
    "a favorite is removed": lambda topic, reply: ("POST", f"/topics/{topic}/unfavorite"),
    "a user is unfollowed": lambda topic, reply: ("POST", "/users/alice/unfollow"),
    "notifications are deleted": lambda topic, reply: ("DELETE", "/notifications/all"),
}


@pytest.mark.parametrize("deed", UNDONE)
def test_nothing_fails_because_of_a_counter_that_is_too_low(forum, alice, bob, topic, deed):
    chief = forum.person("chief", role="admin")
    reply = forum.reply(bob, topic)
    chief.post("/likes", obj_type="topic", obj_id=topic)
    chief.post("/likes", obj_type="reply", obj_id=reply)
    chief.post(f"/topics/{topic}/favorite")
    chief.post("/users/alice/follow")
    forum.reply(bob, topic, "Hello @chief")
    with forum.database.session.begin() as db:
        for model, values in LOW.items():
            db.execute(update(model).values(**values))
    method, path = UNDONE[deed](topic, reply)
    answer = chief.call(method, path)
    assert answer.status_int in (200, 204), answer.text
