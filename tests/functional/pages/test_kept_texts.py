"""Whatever happens while somebody writes, what they wrote is in the page that answers."""

from collections.abc import Callable

import pytest
from sqlalchemy import select
from webtest import Form, TestResponse

from forumsvc.models import HeldPost, Reply, Report, UserState
from tests.functional.conftest import MakeForum
from tests.functional.forum import Forum, Person

from .visitor import PASSWORD, Visitor, expire_sessions, form_of, sent, with_password

TEXT = "A long text\n\nof two paragraphs"


def _reply_form(member: Visitor, topic: int) -> Form:
    form = member.get(f"/topics/{topic}").forms["reply"]
    form["body"] = TEXT
    return form


def _text_of(page: TestResponse) -> str:
    return "".join(one.text for one in page.html.find("main").find_all("textarea")).strip()


def _same(text: str) -> str:
    return text.replace("\r\n", "\n").strip()


def test_a_text_survives_an_ended_session_a_wrong_password_and_is_sent(
    forum: Forum, member: Visitor, topic: int
) -> None:
    form = _reply_form(member, topic)
    expire_sessions(forum)
    page = form.submit()
    wrong = sent(page.forms[max(page.forms)], username="ann", password="not-it-at-all-1")
    assert wrong.status_int == 400
    back = sent(wrong.forms[max(wrong.forms)], username="ann", password=PASSWORD)
    assert (back.status_int, _same(_text_of(back))) == (200, TEXT)
    done = back.forms[max(back.forms)].submit().follow().follow()
    assert "of two paragraphs" in done.html.find(class_="reply").text
    assert forum.count(Reply) == 1


def test_a_new_topic_survives_an_ended_session_with_its_title_and_node(
    forum: Forum, member: Visitor
) -> None:
    node = forum.node("Boats")
    form = member.form("/topics/new")
    form["title"], form["node_id"], form["body"] = "Sails", str(node), TEXT
    expire_sessions(forum)
    page = form.submit()
    back = sent(page.forms[max(page.forms)], username="ann", password=PASSWORD)
    done = back.forms[max(back.forms)].submit().follow()
    assert done.html.find("h1").text == "Sails"
    assert "Boats" in done.html.find("main").text


@pytest.mark.parametrize("what", ["report", "profile"])
def test_a_comment_of_a_report_and_a_profile_survive_an_ended_session_and_another_one(
    forum: Forum, member: Visitor, topic: int, what: str
) -> None:
    path = {"report": f"/topics/{topic}/report", "profile": "/settings"}[what]
    field = {"report": "comment", "profile": "bio"}[what]
    more = {"report": {"category": "spam"}, "profile": {"tagline": "Sailor"}}[what]
    values = {**more, field: TEXT, "csrf_token": member.form(path)["csrf_token"].value}
    expire_sessions(forum)
    page = member.app.post(path, values, headers={"Accept": "text/html"})
    back = sent(page.forms[max(page.forms)], username="ann", password=PASSWORD)
    assert (back.status_int, _same(_text_of(back))) == (200, TEXT)
    again = member.app.post(path, values, headers={"Accept": "text/html"}, status=403)
    assert _same(_text_of(again)) == TEXT
    done = again.forms[max(again.forms)].submit().follow()
    assert done.status_int == 200
    if what == "profile":
        shown = forum.nobody.get("/users/ann").json
        assert (_same(shown["bio"]), shown["tagline"]) == (TEXT, "Sailor")
    else:
        with forum.database.reads.connect() as db:
            assert _same(db.scalars(select(Report.comment)).one()) == TEXT


def test_a_text_survives_a_login_in_another_tab(forum: Forum, member: Visitor, topic: int) -> None:
    form = _reply_form(member, topic)
    member.post("/logout")
    member.log_in()
    page = form.submit(status=403)
    assert _same(_text_of(page)) == TEXT
    assert page.forms[max(page.forms)].submit().status_int == 303
    assert forum.count(Reply) == 1


@pytest.mark.parametrize("what", ["closed", "deleted", "banned", "silenced"])
def test_a_text_that_is_refused_stands_in_the_page_that_says_so(
    forum: Forum, member: Visitor, topic: int, ann: int, what: str
) -> None:
    form = _reply_form(member, topic)
    admin = forum.person("root", role="admin")
    happens: dict[str, Callable[[], object]] = {
        "closed": lambda: admin.post(f"/topics/{topic}/action", type="close"),
        "deleted": lambda: admin.delete(f"/topics/{topic}"),
        "banned": lambda: admin.post(f"/topics/{topic}/ban"),
        "silenced": lambda: forum.change(ann, state=UserState.BLOCKED),
    }
    happens[what]()
    page = form.submit(status="*")
    assert page.status_int in (403, 404, 410)
    assert _same(_text_of(page)) == TEXT
    assert forum.count(Reply) == 0


def test_the_slower_of_two_editors_sees_both_texts_and_may_save(
    forum: Forum, visitor: Visitor, ann: int
) -> None:
    author = forum.caller(forum.token(ann))
    made = author.post("/topics", title="T", node_id=forum.node(), body="First").json
    topic = made["id"]
    visitor.log_in()
    mine = visitor.form(f"/topics/{topic}/edit")
    author.post(f"/topics/{topic}", title="T", node_id=made["node_id"], body="Theirs")
    page = sent(mine, body="Mine")
    assert page.status_int == 409
    assert _text_of(page).split() == ["Theirs", "Mine"]
    assert author.get(f"/topics/{topic}").json["body"] == "Theirs"
    assert page.forms[max(page.forms)].submit().status_int == 303
    assert author.get(f"/topics/{topic}").json["body"] == "Mine"


def test_the_slower_of_two_editors_of_a_reply_sees_both_texts(
    forum: Forum, member: Visitor, ann: int, topic: int
) -> None:
    author = Person(forum.app, forum.token(ann), ann, "ann")
    reply = forum.reply(author, topic, "First")
    mine = member.form(f"/replies/{reply}/edit")
    author.post(f"/replies/{reply}", body="Theirs")
    page = sent(mine, body="Mine")
    assert page.status_int == 409
    assert _text_of(page).split() == ["Theirs", "Mine"]


def test_a_quotation_is_added_to_what_stands_in_the_field(
    forum: Forum, member: Visitor, topic: int
) -> None:
    reply = forum.reply(forum.person("bob"), topic, "First\nSecond")
    form = _reply_form(member, topic)
    page = member.app.post(form.action, [*form.submit_fields(), ("quote", str(reply))])
    assert _same(_text_of(page)) == f"{TEXT}\n\n> First\n> Second\n\n@bob #1"
    assert forum.count(Reply) == 1


def test_a_text_goes_only_to_the_forms_of_posts(forum: Forum, visitor: Visitor) -> None:
    with_password(forum)
    fields = {"kept_path": "/applications", "kept_body": "x", "username": "ann"}
    answer = visitor.post("/login", password=PASSWORD, **fields)
    assert (answer.status_int, answer.location) == (303, "/")


def test_a_form_of_another_site_ends_no_login_and_plants_no_text(forum: Forum, topic: int) -> None:
    sent_by_a_browser = {"Accept": "text/html", "Sec-Fetch-Site": "cross-site"}
    path = f"/topics/{topic}/replies"
    foreign = forum.app.post(path, {"body": TEXT}, headers=sent_by_a_browser, status=303)
    assert "Set-Cookie" not in foreign.headers
    kept = {"kept_path": path, "kept_body": TEXT}
    assert TEXT not in Visitor(forum).get("/login", **kept).text


def test_who_edits_a_topic_that_was_moved_meanwhile_sees_where_it_is_now(
    forum: Forum, member: Visitor, ann: int
) -> None:
    author = forum.caller(forum.token(ann))
    here, there = forum.node("Here"), forum.node("There")
    topic = author.post("/topics", title="T", node_id=here, body="B").json["id"]
    form = member.form(f"/topics/{topic}/edit")
    chief = forum.person("chief", role="maintainer")
    chief.post(f"/topics/{topic}", title="New", node_id=there, body="B")
    page = sent(form, body="Mine")
    assert page.status_int == 409
    assert [one.text for one in page.html.main.select("p > strong")] == ["New", "There"]


def test_an_edit_that_is_sent_twice_is_saved_and_no_conflict(
    forum: Forum, member: Visitor, ann: int
) -> None:
    author = Person(forum.app, forum.token(ann), ann, "ann")
    topic = forum.topic(author, forum.node())
    for path in (f"/topics/{topic}/edit", f"/replies/{forum.reply(author, topic)}/edit"):
        form = member.form(path)
        form["body"] = "Mine"
        assert [form.submit(status="*").status_int for _ in range(2)] == [303, 303], path


def test_a_held_post_that_is_changed_is_still_its_own_after_a_login_in_between(
    make_forum: MakeForum,
) -> None:
    forum = make_forum(posts__hold_first="1")
    with_password(forum)
    member = Visitor(forum)
    member.log_in()
    given = {"title": "T", "node_id": str(forum.node()), "body": "First"}
    held = sent(member.form("/topics/new"), **given).follow()
    form = form_of(held.click("Change the text and send it again"))
    form["body"] = "Second"
    expire_sessions(forum)
    page = form.submit(status="*")
    back = sent(page.forms[max(page.forms)], username="ann", password=PASSWORD)
    assert back.forms[max(back.forms)].submit(status="*").status_int == 303
    with forum.database.reads.connect() as db:
        waiting = db.scalars(select(HeldPost.body).where(HeldPost.state == "waiting")).all()
    assert waiting == ["Second"]


@pytest.mark.parametrize("button", ["like", "follow", "favorite"])
def test_a_button_whose_session_has_ended_leads_back_to_the_topic(
    forum: Forum, member: Visitor, topic: int, button: str
) -> None:
    page = member.get(f"/topics/{topic}")
    form = next(one for one in page.forms.values() if one.action.endswith(f"/{button}"))
    expire_sessions(forum)
    asked = form.submit(status="*").maybe_follow()
    back = sent(form_of(asked), username="ann", password=PASSWORD)
    assert (back.status_int, back.location) == (303, f"/topics/{topic}")
