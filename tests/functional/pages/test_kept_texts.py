"""Whatever happens while somebody writes, what they wrote is in the page that answers."""

import pytest
from sqlalchemy import select
from webtest import Form, TestResponse

from forumsvc.models import Photo, Reply, Report, Topic, TopicLike
from tests.cases import each
from tests.functional.forum import Person

from .pictures import png
from .visitor import (
    PASSWORD,
    Visitor,
    expire_sessions,
    form_of,
    form_with,
    problem,
    sent,
    with_password,
)

TEXT = "A long text\n\nof two paragraphs"


def _reply_form(member: Visitor, topic: int) -> Form:
    form = member.get(f"/topics/{topic}").forms["reply"]
    form["body"] = TEXT
    return form


def _text_of(page: TestResponse) -> str:
    return "".join(one.text for one in page.html.find("main").find_all("textarea")).strip()


def _same(text: str) -> str:
    return text.replace("\r\n", "\n").strip()


def test_a_text_survives_an_ended_session_a_wrong_password_and_is_sent(forum, member, topic):
    form = _reply_form(member, topic)
    expire_sessions(forum)
    page = form.submit()
    wrong = sent(form_of(page), username="ann", password="not-it-at-all-1")
    assert wrong.status_int == 400
    back = sent(form_of(wrong), username="ann", password=PASSWORD)
    assert (back.status_int, _same(_text_of(back))) == (200, TEXT)
    done = form_of(back).submit().follow().follow()
    assert "of two paragraphs" in done.html.find(class_="reply").text
    assert forum.count(Reply) == 1


@pytest.mark.parametrize("what", ["report", "profile"])
def test_a_comment_of_a_report_and_a_profile_survive_an_ended_session_and_another_one(
    forum, member, topic, what
):
    path = {"report": f"/topics/{topic}/report", "profile": "/settings"}[what]
    field = {"report": "comment", "profile": "bio"}[what]
    more = {"report": {"category": "spam"}, "profile": {"tagline": "Sailor"}}[what]
    values = {**more, field: TEXT, "csrf_token": member.form(path)["csrf_token"].value}
    expire_sessions(forum)
    page = member.app.post(path, values, headers={"Accept": "text/html"})
    back = sent(form_of(page), username="ann", password=PASSWORD)
    assert (back.status_int, _same(_text_of(back))) == (200, TEXT)
    again = member.app.post(path, values, headers={"Accept": "text/html"}, status=403)
    assert _same(_text_of(again)) == TEXT
    done = form_of(again).submit().follow()
    assert done.status_int == 200
    if what == "profile":
        shown = forum.nobody.get("/users/ann").json
        assert (_same(shown["bio"]), shown["tagline"]) == (TEXT, "Sailor")
    else:
        with forum.database.reads.connect() as db:
            assert _same(db.scalars(select(Report.comment)).one()) == TEXT


def test_a_text_survives_a_login_in_another_tab(forum, member, topic):
    form = _reply_form(member, topic)
    member.post("/logout")
    member.log_in()
    page = form.submit(status=403)
    assert _same(_text_of(page)) == TEXT
    assert form_of(page).submit().status_int == 303
    assert forum.count(Reply) == 1


def test_a_form_of_another_site_ends_no_login_and_plants_no_text(forum, topic):
    sent_by_a_browser = {"Accept": "text/html", "Sec-Fetch-Site": "cross-site"}
    path = f"/topics/{topic}/replies"
    foreign = forum.app.post(path, {"body": TEXT}, headers=sent_by_a_browser, status=303)
    assert "Set-Cookie" not in foreign.headers
    kept = {"kept_path": path, "kept_body": TEXT}
    assert TEXT not in Visitor(forum).get("/login", **kept).text


def test_an_edit_that_is_sent_twice_is_saved_and_no_conflict(forum, member, ann):
    author = Person(forum.app, forum.token(ann), ann, "ann")
    topic = forum.topic(author, forum.node())
    for path in (f"/topics/{topic}/edit", f"/replies/{forum.reply(author, topic)}/edit"):
        form = member.form(path)
        form["body"] = "Mine"
        assert [form.submit(status="*").status_int for _ in range(2)] == [303, 303], path


def test_a_form_that_is_sent_twice_posts_once(forum, member):
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


def test_a_form_with_a_picture_that_is_sent_twice_keeps_one_picture(forum, member):
    given = {"title": "A boat", "body": "Look", "node_id": str(forum.node()), "picture": png()}
    form = member.form("/topics/new")
    answers = [sent(form, **given) for _ in range(2)]
    assert answers[0].location == answers[1].location
    assert (forum.count(Topic), forum.count(Photo)) == (1, 1)
    [picture] = member.get(answers[0].location).html.select(".forum-content img")
    assert member.get(picture["src"]).status_int == 200


def test_a_like_and_a_report_that_are_sent_twice_count_once(forum, member, topic):
    page = member.get(f"/topics/{topic}")
    like = form_with(page, f"/topics/{topic}/like")
    assert [like.submit(status="*").status_int for _ in range(2)] == [303, 303]
    assert forum.count(TopicLike) == 1
    assert forum.nobody.get(f"/topics/{topic}").json["likes_count"] == 1
    report = member.form(f"/topics/{topic}/report")
    assert [sent(report, category="spam").status_int for _ in range(2)] == [303, 303]
    assert forum.count(Report) == 1


def test_back_after_the_log_out_shows_nothing_of_the_member_and_sends_nothing(forum, member, topic):
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


def test_a_second_tab_that_logs_in_leads_on(forum):
    with_password(forum, "ann")
    visitor = Visitor(forum)
    second = visitor.form("/login", next="/about")
    visitor.log_in("ann")
    done = sent(second, username="ann", password="wrong")
    assert (done.status_int, done.location) == (303, "/about")
    assert visitor.is_logged_in()


@each(
    ("path", "values", "kept"),
    [
        ("/login", {"username": "ann", "password": "Secret123456"}, "ann"),
        ("/signup", {"login": "new", "email": "n@example.org", "password": "Secret123456"}, "new"),
    ],
)
def test_a_form_without_its_cookie_is_shown_again_with_what_was_typed(
    make_forum, path, values, kept
):
    forum = make_forum(accounts__registration="open")
    visitor = Visitor(forum)
    form = visitor.form(path)
    visitor.app.reset()
    page = sent(form, **values)
    assert page.status_int == 403
    assert "Allow cookies" in problem(page)
    assert f'value="{kept}"' in page.text
    assert "Secret123456" not in page.text
    again = sent(form_of(page), **values)
    assert "Allow cookies" not in again.text


def test_a_forum_that_takes_no_sign_ups_says_so(make_forum):
    forum = make_forum(accounts__registration="closed")
    answer = forum.app.post("/signup", {}, {"Accept": "text/html"}, status="*")
    assert answer.status_int in (403, 404)


def test_a_program_gets_the_error_as_json(forum):
    answer = forum.app.post("/login", {}, status=403)
    assert "out of date" in answer.json["error"]
