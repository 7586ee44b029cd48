"""Somebody in a hurry: forms sent twice, a login that ended while they wrote, and Back."""

from forumsvc.models import Photo, Reply, Report, Topic, TopicLike
from tests.functional.forum import Forum

from .pictures import png
from .visitor import Visitor, sent


def test_a_form_that_is_sent_twice_posts_once(forum: Forum, member: Visitor) -> None:
    node, visitor = forum.node(), member
    form = visitor.form("/topics/new")
    given = {"title": "A boat", "body": "A new boat", "node_id": str(node)}
    answers = [sent(form, **given).location for _ in range(2)]
    assert answers[0] == answers[1]
    assert forum.count(Topic) == 1
    page = visitor.get("/topics").click("A boat")
    form = page.forms[next(key for key, one in page.forms.items() if "body" in one.fields)]
    answers = [sent(form, body="Who sails it?").location for _ in range(2)]
    assert answers[0] == answers[1]
    assert forum.count(Reply) == 1
    # Back, and another text: that is another reply.
    assert sent(form, body="And who paid?").status_int == 303
    assert forum.count(Reply) == 2


def test_a_form_with_a_picture_that_is_sent_twice_keeps_one_picture(
    forum: Forum, member: Visitor
) -> None:
    given = {"title": "A boat", "body": "Look", "node_id": str(forum.node()), "picture": png()}
    form = member.form("/topics/new")
    answers = [sent(form, **given) for _ in range(2)]
    assert answers[0].location == answers[1].location
    assert (forum.count(Topic), forum.count(Photo)) == (1, 1)
    [picture] = member.get(answers[0].location).html.select(".forum-content img")
    assert member.get(picture["src"]).status_int == 200


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
    assert sent(form, body="After the log-out").html.find("h1").text == "Log in"
    assert forum.count(Reply) == 0
