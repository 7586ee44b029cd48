"""Whatever happens while somebody writes, what they wrote is in the page that answers."""

from collections.abc import Callable

import pytest
from webtest import Form, TestResponse

from forumsvc.models import Reply, UserState
from tests.functional.forum import Forum

from .visitor import PASSWORD, Visitor, expire_sessions, sent, with_password

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
    assert (answer.status_int, answer.location) == (303, "http://localhost/")


def test_a_form_of_another_site_ends_no_login_and_plants_no_text(forum: Forum, topic: int) -> None:
    sent_by_a_browser = {"Accept": "text/html", "Sec-Fetch-Site": "cross-site"}
    path = f"/topics/{topic}/replies"
    foreign = forum.app.post(path, {"body": TEXT}, headers=sent_by_a_browser, status=303)
    assert "Set-Cookie" not in foreign.headers
    kept = {"kept_path": path, "kept_body": TEXT}
    assert TEXT not in Visitor(forum).get("/login", **kept).text
