"""`include=text` of notifications shows a text to those only who may see it."""

import pytest
from sqlalchemy import update

from forumsvc import clock
from forumsvc.models import Reply, Topic
from tests.functional.forum import Forum, Person
from tests.functional.statements import of_request

pytestmark = pytest.mark.both_databases

PATH = "/notifications?include=text"


def bodies(person: Person) -> list[str | None]:
    """Return the texts of what a user's notifications tell of, newest first."""
    return [(one["reply"] or one["mention"])["body"] for one in person.get(PATH).json]


@pytest.fixture
def told(forum: Forum) -> Person:
    """A user who wrote a topic with an answer and a mention, and is mentioned in another topic."""
    ann, bob, node = forum.person("ann"), forum.person("bob"), forum.node()
    mine = forum.topic(ann, node)
    forum.reply(bob, mine, "An answer")
    forum.reply(bob, mine, "For @ann")
    forum.topic(bob, node, body="Of @ann")
    assert bodies(ann) == ["Of @ann", "For @ann", "An answer"]
    return ann


def set_all(forum: Forum, model: type[Topic] | type[Reply], **columns: object) -> None:
    """Change what has notifications, which a ban or deletion by the service would delete."""
    with forum.database.session.begin() as db:
        db.execute(update(model).values(**columns))


def test_the_author_of_a_banned_topic_sees_it_and_others_do_not(forum, told):
    set_all(forum, Topic, banned_at=clock.now())
    assert bodies(told) == [None, "For @ann", "An answer"]
    forum.change(told.id, role="maintainer")
    assert bodies(told) == ["Of @ann", "For @ann", "An answer"]


def test_nobody_gets_the_text_of_what_is_deleted(forum, told):
    forum.change(told.id, role="admin")
    set_all(forum, Reply, deleted_at=clock.now())
    assert bodies(told) == ["Of @ann", None, None]
    set_all(forum, Topic, deleted_at=clock.now())
    assert bodies(told) == [None, None, None]


def test_the_html_of_a_reply_is_withheld_as_its_source_is(forum, told):
    def texts() -> list[str]:
        posts = [one["reply"] or one["mention"] for one in told.get("/notifications").json]
        return [post["body_html"] for post in posts if "body_html" in post]

    assert [text.startswith("<p>") for text in texts()] == [True, True]
    forum.change(told.id, role="member")
    told.post("/users/bob/block")
    assert texts() == ["", ""]
    told.post("/users/bob/unblock")
    set_all(forum, Topic, banned_at=clock.now(), user_id=forum.person("eve").id)
    assert texts() == ["", ""]


def test_texts_cost_one_statement_and_blocks_none(forum, told, monkeypatch):
    monkeypatch.setattr(forum.registry.page_cache, "max_bytes", 0)
    plain = len(of_request(forum, told, "GET", "/notifications"))
    assert len(of_request(forum, told, "GET", PATH)) == plain + 1
    forum.person("carl")
    told.post("/users/carl/block")
    assert len(of_request(forum, told, "GET", "/notifications")) == plain
    assert len(of_request(forum, told, "GET", PATH)) == plain + 1
