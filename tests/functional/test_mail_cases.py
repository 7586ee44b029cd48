"""What went wrong with the emails of other forums: each case is told once, or not at all."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from tests.functional.test_notification_mails import HOUR, MINUTE, SITE, Scene, text_of

pytestmark = pytest.mark.both_databases


@pytest.fixture
def scene(make_forum: Any, monkeypatch: pytest.MonkeyPatch) -> Scene:
    settings = {"site__url": SITE, "mail__delivery": "folder", "mail__sender": "f@example.org"}
    return Scene(make_forum(**settings), monkeypatch)


def mentioned_thrice(scene: Scene) -> None:
    scene.forum.reply(scene.bob, scene.topic(scene.bob), "@ann @ann, and @Ann")


def mentioned_in_an_own_topic(scene: Scene) -> None:
    scene.forum.reply(scene.bob, scene.topic(scene.ann), "Hear, @ann")


def following_an_own_topic(scene: Scene) -> None:
    topic = scene.topic(scene.ann)
    scene.ann.post(f"/topics/{topic}/follow")
    scene.forum.reply(scene.bob, topic)


def following_topic_and_author(scene: Scene) -> None:
    scene.ann.post("/users/bob/follow")
    topic = scene.topic(scene.bob, body="To @ann")
    scene.ann.post(f"/topics/{topic}/follow")


def mentioned_by_an_edit(scene: Scene) -> None:
    reply = scene.forum.reply(scene.bob, scene.topic(scene.bob), "Nobody")
    scene.now += HOUR
    scene.bob.call("PATCH", f"/replies/{reply}", {"body": "Hear, @ann"})


def edited_with_the_mention(scene: Scene) -> None:
    reply = scene.forum.reply(scene.bob, scene.topic(scene.bob), "Hear, @ann")
    assert len(scene.after(3 * MINUTE)) == 1
    scene.bob.call("PATCH", f"/replies/{reply}", {"body": "Hear again, @ann"})


def unfollowed(scene: Scene) -> None:
    topic = scene.topic(scene.bob)
    scene.ann.post(f"/topics/{topic}/follow")
    scene.forum.reply(scene.bob, topic)
    assert len(scene.after(3 * MINUTE)) == 1
    scene.ann.post(f"/topics/{topic}/unfollow")
    scene.now += MINUTE
    scene.forum.reply(scene.bob, topic, "Not for ann")


def unfollowed_before_it_is_due(scene: Scene) -> None:
    topic = scene.topic(scene.bob)
    scene.ann.post(f"/topics/{topic}/follow")
    scene.forum.reply(scene.bob, topic)
    scene.ann.post(f"/topics/{topic}/unfollow")


def deleted_and_restored_topic(scene: Scene) -> None:
    chief = scene.person("chief", role="maintainer", scope="read write moderate")
    topic = scene.topic(scene.ann)
    scene.forum.reply(scene.bob, topic)
    scene.ann.put("/users/me/mail", moderation="off")
    chief.delete(f"/topics/{topic}")
    chief.post(f"/topics/{topic}/restore")


def deleted_topic_moved(scene: Scene) -> None:
    chief = scene.person("chief", role="maintainer", scope="read write moderate")
    topic = scene.topic(scene.ann)
    scene.ann.delete(f"/topics/{topic}")
    chief.call("PATCH", f"/topics/{topic}", {"node_id": scene.forum.node("Other")})


def written_by_who_is_blocked_then(scene: Scene) -> None:
    topic = scene.topic(scene.bob)
    scene.ann.post(f"/topics/{topic}/follow")
    scene.forum.reply(scene.bob, topic)
    assert len(scene.after(3 * MINUTE)) == 1
    scene.ann.post("/users/bob/block")
    scene.now += MINUTE
    scene.forum.reply(scene.bob, topic, "Not for ann")


def account_is_closed(scene: Scene) -> None:
    scene.forum.reply(scene.bob, scene.topic(scene.ann))
    scene.forum.change(scene.ann.id, state="deleted")


def another_address(scene: Scene) -> None:
    scene.forum.reply(scene.bob, scene.topic(scene.ann))
    columns = {"email": "new@example.org", "email_key": "new@example.org"}
    scene.forum.change(scene.ann.id, **columns, email_confirmed_at=None)


CASES: dict[str, tuple[Callable[[Scene], None], int]] = {
    "mastodon#14378": (mentioned_thrice, 1),
    "lobsters#876": (mentioned_in_an_own_topic, 1),
    "sumo#2563": (following_an_own_topic, 1),
    "muikku#2642": (following_topic_and_author, 1),
    "outline#5015": (mentioned_by_an_edit, 1),
    "mattermost-plugin-github#55": (edited_with_the_mention, 0),
    "NodeBB#4094": (unfollowed, 0),
    "gccollab#361": (unfollowed_before_it_is_due, 0),
    "freefeed-server#516": (deleted_and_restored_topic, 0),
    "NodeBB#8249": (deleted_topic_moved, 0),
    "osu-web#6402": (written_by_who_is_blocked_then, 0),
    "mylittleforum#613": (account_is_closed, 0),
    "a changed address": (another_address, 0),
}
"""What happens, and of how many things ann is told then, each in an email of its own."""


@pytest.mark.parametrize("case", CASES)
def test_nobody_is_told_twice_nor_of_what_they_do_not_want(scene, case):
    happen, number = CASES[case]
    happen(scene)
    sent = scene.after(3 * MINUTE) + scene.after(HOUR) + scene.after(timedelta(days=1))
    assert [message["To"] for message in sent] == ["ann@example.org"] * number
    assert [text_of(message).count(f"{SITE}/replies/") for message in sent] in ([], [0], [1])
    assert [text_of(message).count("bob ") for message in sent] == [1] * number
