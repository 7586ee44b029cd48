"""Notifications: what rows of tests/functional/api cannot say."""

import json
from pathlib import Path

import pytest

from forumsvc.models import Notification, NotificationType
from tests.functional.forum import Person
from tests.functional.notifications import notifications_of
from tests.functional.rows import insert_row

pytestmark = pytest.mark.usefixtures("advancing_clock")


@pytest.mark.parametrize("kind", sorted({*NotificationType} - {NotificationType.MODERATION}))
def test_a_story_shows_how_a_notification_of_each_type_comes_and_goes(kind):
    text = (Path(__file__).parent / "api/notifications.yaml").read_text("utf-8")
    assert f"{{type: {kind}" in text


def test_stored_details_hide_nothing_of_a_notification(forum, alice, bob):
    details = json.dumps({"id": 0, "type": "Follow", "read": True, "action": "user.warned"})
    with forum.database.session.begin() as db:
        who = {"user_id": alice.id, "actor_id": bob.id}
        stored = insert_row(db, Notification, **who, type="Moderation", details=details)
    [one] = alice.get("/notifications").json
    shown = (one["id"], one["type"], one["read"], one["action"])
    assert shown == (stored, "Moderation", False, "user.warned")


def edit(author: Person, topic: int, node: int, body: str) -> None:
    assert author.put(f"/topics/{topic}", title="T", node_id=node, body=body).status_int == 200


def test_twenty_users_are_notified_where_nothing_else_is_set(forum, alice, node):
    people = [forum.person(f"user{n:02}") for n in range(22)]
    forum.topic(alice, node, body=" ".join(f"@{person.login}" for person in people))
    assert [len(notifications_of(person)) for person in people] == [1] * 20 + [0] * 2


def test_an_edit_does_not_notify_of_mentions_beyond_the_former_limit(make_forum):
    forum = make_forum(notifications__max_mentions="1")
    alice, node, bob = forum.person("alice"), forum.node(), forum.person("bob")
    forum.person("carol")
    topic = forum.topic(alice, node, body="@carol @bob")
    edit(alice, topic, node, "@bob")
    assert notifications_of(bob) == []
