"""Kinds of notifications that a user wants none of: none is written, and none is counted."""

import pytest

from forumsvc.process.passwords import hash_password
from tests.functional.forum import Forum, Person
from tests.functional.notifications import types
from tests.functional.pages.visitor import PASSWORD, Visitor

pytestmark = [pytest.mark.usefixtures("advancing_clock"), pytest.mark.both_databases]
ALL = ["Follow", "Mention", "NodeChanged", "Topic", "TopicReply"]


@pytest.fixture
def browser(forum: Forum, alice: Person) -> Visitor:
    forum.change(alice.id, password_hash=hash_password(PASSWORD))
    browser = Visitor(forum)
    browser.log_in("alice")
    return browser


def choose(browser: Visitor, unwanted: str) -> None:
    """Uncheck a kind on the page, and check all others."""
    form = browser.form("/settings/notifications")
    for kind in ALL:
        form[kind].checked = kind != unwanted
    assert "Saved." in form.submit().follow().text
    shown = browser.form("/settings/notifications")
    assert [kind for kind in ALL if not shown[kind].checked] == [unwanted] * bool(unwanted)


def cause_all(forum: Forum, alice: Person, bob: Person, node: int, other: int) -> None:
    """Do all that notifies alice: each kind once."""
    chief = forum.person("chief", role="maintainer")
    alice.post("/users/bob/follow")
    bob.post("/users/alice/follow")
    forum.topic(bob, node)
    mine = forum.topic(alice, node)
    forum.reply(bob, mine, "An answer")
    forum.reply(bob, forum.topic(chief, node), "Hear, @alice")
    chief.put(f"/topics/{mine}", title="T", node_id=other, body="B")


@pytest.mark.parametrize("unwanted", [*ALL, ""])
def test_of_a_kind_that_one_does_not_want_nothing_comes_and_of_the_others_all(
    forum, browser, alice, bob, node, unwanted
):
    choose(browser, "Topic")
    choose(browser, unwanted)
    cause_all(forum, alice, bob, node, forum.node("Other"))
    assert sorted(types(alice)) == [kind for kind in ALL if kind != unwanted]


def test_without_replies_a_mention_in_a_followed_topic_still_comes(
    forum, browser, alice, bob, topic
):
    choose(browser, "TopicReply")
    forum.reply(bob, topic, "Only an answer")
    forum.reply(bob, topic, "To @alice")
    assert types(alice) == ["Mention"]
