"""Digests: what is unread, and new topics of the nodes that one reads; nothing new: none."""

from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import select

from forumsvc.models import Job, JobKind, User
from tests.functional.background_jobs import periodic_works
from tests.functional.test_notification_mails import (
    SITE,
    Killed,
    Scene,
    read,
    text_of,
)

pytestmark = pytest.mark.both_databases
DAY = timedelta(days=1)
OFF = {f"mail_{about}": "off" for about in ("mention", "reply", "follow", "moderation")}


class DigestScene(Scene):
    """Cat reads the node, wants a digest a day, and no other email."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.cat = self.reader("cat", **OFF)
        self.mine = self.topic(self.cat, "Mine")
        assert self.cat.put("/users/me/mail", digest="daily").json["digest"] == "daily"

    def topic(self, *words: Any) -> int:
        self.now += timedelta(seconds=1)
        return super().topic(*words)

    def after(self, pause: timedelta) -> list[Any]:
        self.now += pause
        for _ in periodic_works(self.forum)["digests"].run():
            pass
        return super().after(timedelta(0))


@pytest.fixture
def scene(make_forum: Any, monkeypatch: pytest.MonkeyPatch) -> DigestScene:
    settings = {"site__url": SITE, "mail__delivery": "folder", "mail__sender": "f@example.org"}
    return DigestScene(make_forum(**settings), monkeypatch)


def test_a_digest_tells_once_of_what_is_unread_and_of_new_topics(scene):
    scene.forum.reply(scene.bob, scene.mine, "A reply")
    scene.now += timedelta(hours=1)
    scene.topic(scene.bob, "Something new")
    assert scene.after(timedelta(hours=22)) == []
    [message] = scene.after(timedelta(hours=1))
    assert "bob replied in “Mine”" in text_of(message)
    assert "Something new (bob)" in text_of(message)
    assert "Mine (cat)" not in text_of(message)
    assert "about=digest" in message["List-Unsubscribe"]
    assert message["References"] is None
    assert scene.after(DAY) == []
    scene.topic(scene.bob, "Another")
    [later] = scene.after(DAY)
    assert "Another" in text_of(later)
    assert "Something new" not in text_of(later)
    assert "replied" not in text_of(later)
    assert later["Message-ID"] != message["Message-ID"]


def test_a_topic_that_is_committed_only_after_a_digest_was_made_is_in_the_next_one(scene):
    scene.topic(scene.bob, "First")
    assert len(scene.after(DAY)) == 1
    scene.now -= timedelta(seconds=6)
    scene.topic(scene.bob, "Late")
    scene.now += timedelta(seconds=5)
    [later] = scene.after(DAY)
    assert "Late" in text_of(later)
    assert "First" not in text_of(later)


def test_nothing_new_no_digest_and_the_next_is_a_day_later(scene):
    assert scene.after(DAY) == []
    scene.forum.reply(scene.bob, scene.mine, "A reply")
    assert scene.after(DAY - timedelta(minutes=1)) == []
    assert len(scene.after(timedelta(minutes=1))) == 1


@pytest.mark.parametrize("act", ["mute", "block", "read", "other node", "banned", "off"])
def test_what_one_does_not_want_or_read_is_in_no_digest(scene, act):
    other = scene.forum.node("Other")
    node = other if act == "other node" else scene.node
    new = scene.forum.topic(scene.bob, node, "Something new")
    scene.forum.reply(scene.bob, scene.mine, "A reply")
    scene.cat.post("/notifications/read_all")
    match act:
        case "mute":
            scene.cat.post(f"/nodes/{scene.node}/mute")
        case "block":
            scene.cat.post("/users/bob/block")
        case "read":
            scene.cat.post(f"/topics/{new}/read")
        case "banned":
            chief = scene.person("chief", role="maintainer")
            chief.post(f"/topics/{new}/action", type="ban")
        case "off":
            scene.cat.put("/users/me/mail", digest="off")
    assert scene.after(DAY) == []
    assert scene.after(7 * DAY) == []


def test_ten_new_topics_at_most_and_none_of_a_node_last_read_long_ago(scene):
    for number in range(12):
        scene.topic(scene.bob, f"New {number}.")
    [message] = scene.after(DAY)
    told = [f"New {number}." in text_of(message) for number in range(12)]
    assert told == [False] * 2 + [True] * 10
    scene.after(61 * DAY)
    scene.bob.token = scene.forum.token(scene.bob.id, ttl=10**7)
    scene.topic(scene.bob, "Much later")
    assert scene.after(DAY) == []


def test_what_an_email_of_its_own_tells_is_in_no_digest(scene):
    scene.cat.put("/users/me/mail", mention="instant")
    scene.forum.reply(scene.bob, scene.mine, "Hear, @cat")
    assert len(scene.after(timedelta(minutes=3))) == 1
    assert scene.after(DAY) == []


def test_a_reply_that_an_email_told_is_in_no_digest_though_others_replied_since(scene):
    scene.cat.put("/users/me/mail", reply="instant")
    scene.forum.reply(scene.bob, scene.mine, "First")
    assert len(scene.after(timedelta(minutes=3))) == 1
    scene.now += DAY - timedelta(minutes=4)
    scene.forum.reply(scene.bob, scene.mine, "Second")
    assert scene.after(timedelta(minutes=1)) == [], "no digest"
    [message] = scene.after(timedelta(minutes=3))
    assert "Second" in text_of(message)
    assert "First" not in text_of(message)


def test_what_happens_after_a_process_has_died_is_in_the_next_digest_alone(scene):
    scene.forum.reply(scene.bob, scene.mine, "First")
    scene.outbox.errors = [Killed()]
    with pytest.raises(Killed):
        scene.after(DAY)
    reply = scene.forum.reply(scene.bob, scene.mine, "Second")
    [again] = scene.after(timedelta(minutes=6))
    assert text_of(again) == text_of(read(scene.outbox.messages[0]))
    [later] = scene.after(DAY)
    assert f"/replies/{reply}" in text_of(later)
    assert text_of(later).count("bob replied") == 1


def test_the_same_choice_again_leaves_the_time_and_another_begins_anew(scene):
    def digest_at() -> Any:
        with scene.forum.database.reads.connect() as db:
            return db.scalar(select(User.digest_at).where(User.id == scene.cat.id))

    first = digest_at()
    scene.now += timedelta(hours=1)
    scene.cat.put("/users/me/mail", digest="daily", reply="off")
    assert digest_at() == first
    scene.cat.put("/users/me/mail", digest="weekly")
    assert digest_at() == scene.now + 7 * DAY
    assert scene.cat.put("/users/me/mail", digest="hourly").status_int == 400
    assert scene.cat.put("/users/me/mail", reply="daily").status_int == 400


def test_a_process_that_dies_sends_the_same_digest_and_a_server_that_was_away_gets_one(scene):
    scene.topic(scene.bob, "First")
    scene.outbox.errors = [ConnectionRefusedError()]
    scene.after(DAY)
    scene.topic(scene.bob, "Second")
    scene.outbox.errors = [Killed()]
    with pytest.raises(Killed):
        scene.after(DAY)
    scene.topic(scene.bob, "Third")
    [again] = scene.after(timedelta(minutes=6))
    before = [read(message)["Message-ID"] for message in scene.outbox.messages]
    assert len({again["Message-ID"], *before}) == 1
    assert "First" in text_of(again)
    assert "Second" in text_of(again)
    [later] = scene.after(DAY)
    assert "Third" in text_of(later)
    assert "First" not in text_of(later)
    [job] = [row for row in scene.rows(Job) if row.kind == JobKind.NOTIFICATION_MAIL]
    assert job.state == "done"
