"""Somebody in a hurry: forms sent twice, a login that ended while they wrote, and Back."""

import pytest

from forumsvc.models import Reply, Report, Topic, TopicLike
from tests.functional.conftest import MakeForum
from tests.functional.forum import Forum

from .visitor import Visitor, expire_sessions, sent, with_password


@pytest.fixture
def member(forum: Forum, visitor: Visitor, ann: int) -> Visitor:
    """A browser in which ann is logged in."""
    visitor.log_in()
    return visitor


@pytest.fixture
def topic(forum: Forum) -> int:
    """A topic of alice."""
    return forum.topic(forum.person("alice"), forum.node())


def test_a_form_that_is_sent_twice_posts_once(make_forum: MakeForum) -> None:
    forum = make_forum(posts__duplicate_minutes="10")
    with_password(forum)
    node, visitor = forum.node(), Visitor(forum)
    visitor.log_in()
    form = visitor.form("/topics/new")
    given = {"title": "A boat", "body": "A new boat", "node_id": str(node)}
    answers = [sent(form, **given).status_int for _ in range(2)]
    assert answers == [303, 400]
    assert forum.count(Topic) == 1
    page = visitor.get("/topics").click("A boat")
    form = page.forms[next(key for key, one in page.forms.items() if "body" in one.fields)]
    answers = [sent(form, body="Who sails it?").status_int for _ in range(2)]
    assert answers == [303, 400]
    assert forum.count(Reply) == 1


def test_a_like_and_a_report_that_are_sent_twice_count_once(
    forum: Forum, member: Visitor, topic: int
) -> None:
    page = member.get(f"/topics/{topic}")
    like = next(one for one in page.forms.values() if one.action.endswith("/like"))
    assert [like.submit(status="*").status_int for _ in range(2)] == [303, 303]
    assert forum.count(TopicLike) == 1
    assert forum.nobody.get(f"/topics/{topic}").json["likes_count"] == 1
    report = member.form(f"/topics/{topic}/report")
    assert [sent(report, category="spam").status_int for _ in range(2)] == [303, 303]
    assert forum.count(Report) == 1


def test_what_is_sent_after_the_login_ended_writes_nothing_and_asks_for_the_login(
    forum: Forum, member: Visitor, topic: int
) -> None:
    page = member.get(f"/topics/{topic}")
    form = page.forms[next(key for key, one in page.forms.items() if "body" in one.fields)]
    expire_sessions(forum)
    answer = sent(form, body="A long text")
    assert (answer.status_int, "/login?" in answer.location) == (303, True)
    assert forum.count(Reply) == 0


def test_back_after_the_log_out_shows_nothing_of_the_member_and_sends_nothing(
    forum: Forum, member: Visitor, topic: int
) -> None:
    page = member.get(f"/topics/{topic}")
    assert page.headers["Cache-Control"] == "no-store"
    form = page.forms[next(key for key, one in page.forms.items() if "body" in one.fields)]
    assert member.get("/notifications").status_int == 200
    member.post("/logout")
    assert not member.is_logged_in()
    again = member.get("/notifications")
    assert (again.status_int, "/login?" in again.location) == (303, True)
    assert "ann" not in member.get(f"/topics/{topic}").html.find("header").text
    answer = sent(form, body="After the log-out")
    assert (answer.status_int, "/login?" in answer.location) == (303, True)
    assert forum.count(Reply) == 0
