"""Drafts of the forms of pages: kept, shown again, and never lost to another tab or device."""

import re

import pytest
from sqlalchemy import select
from webtest import Form, TestResponse

from forumsvc.models import Draft, Reply
from tests.functional.forum import Forum, Person

from .pictures import png
from .visitor import PASSWORD, Visitor, expire_sessions, form_of, problem, sent


@pytest.fixture
def author(forum, ann) -> Person:
    return Person(forum.app, forum.token(ann), ann, "ann")


def pressed(form: Form, button: str, **fields: str) -> TestResponse:
    """Fill in a form and submit it by a button."""
    for name, value in fields.items():
        form[name] = value
    return form.submit(button, status="*")


def saved(form: Form, **fields: str) -> TestResponse:
    return pressed(form, "save_draft", **fields)


def bodies(forum: Forum) -> list[str]:
    with forum.database.session() as db:
        return [one.replace("\r\n", "\n") for one in db.scalars(select(Draft.body))]


def body_of(page: TestResponse) -> str:
    return page.html.find(id="body").text.strip()


def reply_form(member: Visitor, topic: int) -> Form:
    return member.get(f"/topics/{topic}").forms["reply"]


@pytest.mark.parametrize("button", ["save_draft", "preview"])
def test_a_new_topic_is_kept_and_its_form_begins_with_it(forum, member, button):
    node = forum.node()
    given = {"title": "A boat", "body": "It sails", "node_id": str(node)}
    page = pressed(member.form("/topics/new"), button, **given)
    page = page.follow() if button == "save_draft" else page
    assert (page.html.find(id="title")["value"], body_of(page)) == ("A boat", "It sails")
    form = member.form("/topics/new")
    assert [form[name].value.strip() for name in given] == [*given.values()]
    assert forum.count(Draft) == 1


def test_what_is_not_complete_yet_is_saved_as_a_draft(forum, member):
    forum.node()
    page = saved(member.form("/topics/new"), title="A boat").follow()
    assert "draft is saved" in page.html.find(role="status").text
    assert page.html.find(id="title")["value"] == "A boat"
    assert bodies(forum) == [""]


def test_a_reply_is_kept_and_stands_on_the_page_of_its_topic_and_in_its_form(forum, member, topic):
    assert saved(reply_form(member, topic), body="Half a").location.endswith("/replies")
    assert body_of(member.get(f"/topics/{topic}")) == "Half a"
    assert body_of(member.get(f"/topics/{topic}/replies")) == "Half a"
    other = forum.topic(forum.person("bob"), forum.node("Other"))
    assert body_of(member.get(f"/topics/{other}")) == ""


@pytest.mark.parametrize("button", ["save_draft", "preview"])
def test_a_post_deletes_the_draft_that_it_was(forum, member, topic, button):
    page = pressed(reply_form(member, topic), button, body="Half a")
    form = member.form(f"/topics/{topic}/replies") if button == "save_draft" else form_of(page)
    assert sent(form, body="A whole reply").status_int == 303
    assert (bodies(forum), forum.count(Reply)) == ([], 1)
    assert body_of(member.get(f"/topics/{topic}")) == ""


def test_who_goes_back_from_a_preview_and_posts_has_no_draft_left(forum, member, topic):
    before = reply_form(member, topic)
    pressed(before, "preview", body="Half a")
    assert sent(before, body="A whole reply").status_int == 303
    assert bodies(forum) == []


def test_who_goes_back_from_a_preview_and_changes_the_text_keeps_the_changed_one(
    forum, member, topic
):
    before = reply_form(member, topic)
    pressed(before, "preview", body="Half a")
    assert "The other draft" not in pressed(before, "preview", body="Changed").text
    assert bodies(forum) == ["Changed"]


def test_a_refused_post_keeps_its_draft_and_what_was_typed(forum, member, topic):
    saved(reply_form(member, topic), body="Half a")
    page = sent(reply_form(member, topic), body="x" * 70_000)
    assert page.status_int == 400
    assert body_of(page) == "x" * 70_000
    assert bodies(forum) == ["Half a"]


def test_a_draft_that_is_too_long_is_refused_and_stands_in_the_form(forum, member, topic):
    page = saved(reply_form(member, topic), body="x" * 70_000)
    assert page.status_int == 400
    assert body_of(page) == "x" * 70_000
    assert bodies(forum) == []


def test_of_two_tabs_neither_replaces_nor_deletes_the_text_of_the_other(forum, member):
    forum.node()
    one, two = member.form("/topics/new"), member.form("/topics/new")
    saved(one, title="One", body="Of one")
    page = saved(two, title="Two", body="Of two")
    assert (page.status_int, body_of(page)) == (409, "Of two")
    assert page.html.find(id="theirs").text.strip() == "Of one"
    assert "another draft" in problem(page)
    assert bodies(forum) == ["Of one"]
    form = form_of(page)
    assert sent(form, node_id=form["node_id"].options[1][0]).status_int == 303
    assert bodies(forum) == ["Of one"]


def test_who_has_seen_the_other_draft_may_replace_it(forum, member):
    forum.node()
    one, two = member.form("/topics/new"), member.form("/topics/new")
    saved(one, title="One", body="Of one")
    page = saved(two, title="Two", body="Of two")
    assert saved(form_of(page)).status_int == 303
    assert bodies(forum) == ["Of two"]


def test_a_preview_shows_the_draft_of_another_device_and_leaves_it(member, topic, author):
    form = reply_form(member, topic)
    author.put(f"/drafts/reply-{topic}", body="Of the phone")
    page = pressed(form, "preview", body="Of the desk")
    assert (page.status_int, body_of(page)) == (200, "Of the desk")
    assert "Of the desk" in page.html.find(class_="preview").text
    assert page.html.find(id="theirs").text.strip() == "Of the phone"
    assert author.get(f"/drafts/reply-{topic}").json["body"] == "Of the phone"


def test_the_same_text_of_two_tabs_is_no_conflict(forum, member, topic):
    one, two = reply_form(member, topic), reply_form(member, topic)
    assert [saved(form, body="Same").status_int for form in (one, two)] == [303, 303]
    assert bodies(forum) == ["Same"]


def test_a_draft_of_the_api_stands_in_the_form_and_is_deleted_with_the_post(
    forum, member, topic, author
):
    author.put(f"/drafts/reply-{topic}", body="Of the phone")
    form = reply_form(member, topic)
    assert form["body"].value.strip() == "Of the phone"
    assert form.submit().status_int == 303
    assert bodies(forum) == []


def test_a_quotation_is_added_to_the_draft(forum, member, topic, author):
    reply = forum.reply(forum.person("bob"), topic, "Who sails?")
    author.put(f"/drafts/reply-{topic}", body="I do.")
    shown = body_of(member.get(f"/topics/{topic}/replies?quote={reply}"))
    assert shown.startswith("I do.\n\n@bob #1:\n\n> Who sails?")


def quoted(form: Form, value: str, **fields: str) -> TestResponse:
    """Submit the form of a topic by the button that quotes."""
    for name, text in fields.items():
        form[name] = text
    return form.submit("quote", value=value, status="*")


def test_the_text_of_the_topic_itself_is_quoted(forum, member, topic):
    page = member.get(f"/topics/{topic}")
    [button] = page.html.select("#topic button[name=quote]")
    shown = body_of(quoted(page.forms["reply"], button["value"]))
    assert re.fullmatch(r"@\w+:\n\n> .+\n*", shown)


def test_what_was_typed_before_a_quotation_is_kept_with_it(forum, member, topic):
    reply = forum.reply(forum.person("bob"), topic, "Who sails?")
    page = quoted(reply_form(member, topic), str(reply), body="I do.")
    assert body_of(page).startswith("I do.\n\n@bob #1:\n\n> Who sails?")
    assert [body.strip() for body in bodies(forum)] == [body_of(page).strip()]
    page = quoted(reply_form(member, topic), str(reply), body="x" * 70_000)
    assert body_of(page).startswith("xxx")


def test_a_script_that_saves_a_draft_is_led_nowhere(forum, member, topic):
    form = reply_form(member, topic)
    form["body"] = "Half a"
    headers = {"X-Requested-With": "fetch"}
    assert form.submit("save_draft", headers=headers).status_int == 204
    page = member.get(f"/topics/{topic}")
    assert page.forms["reply"]["body"].value == "Half a"
    assert page.html.select_one("p[role=status]:not(#done)") is None


def test_a_preview_by_a_script_needs_the_text_alone_and_keeps_no_draft(forum, member, topic):
    headers = {"X-Requested-With": "fetch"}
    for form in (member.form("/topics/new"), reply_form(member, topic)):
        form["body"] = "Half *a*"
        page = form.submit("preview", headers=headers)
        assert page.html.select_one(".preview em").get_text() == "a"
        assert page.html.select_one("[role=alert]") is None
    assert bodies(forum) == []


def test_the_node_of_a_draft_stays_and_a_link_fills_in_only_where_it_has_none(
    forum, member, author
):
    first, second = forum.node("First"), forum.node("Second")
    author.put("/drafts/topic-new", body="B", node_id=first)
    assert member.form("/topics/new", node_id=second)["node_id"].value == str(first)
    author.put("/drafts/topic-new", body="B")
    assert member.form("/topics/new", node_id=second)["node_id"].value == str(second)


def test_a_form_of_an_edited_post_neither_shows_nor_keeps_a_draft(forum, member, topic, author):
    reply = forum.reply(author, topic, "Published")
    author.put(f"/drafts/reply-{topic}", body="Half a")
    form = member.form(f"/replies/{reply}/edit")
    assert form["body"].value.strip() == "Published"
    assert "save_draft" not in form.fields
    pressed(form, "preview", body="Edited")
    assert bodies(forum) == ["Half a"]


def test_a_picture_is_kept_with_the_draft(forum, member, topic):
    page = saved(reply_form(member, topic), body="Look", picture=png()).follow()
    assert "![](" in body_of(page)
    [body] = bodies(forum)
    path = body[body.index("(") + 1 : body.index(")")]
    assert member.get(path).status_int == 200


def test_a_text_that_was_sent_after_the_session_ended_is_a_draft_after_the_login(
    forum, member, topic
):
    form = reply_form(member, topic)
    expire_sessions(forum)
    page = sent(form, body="A long text")
    assert bodies(forum) == []
    back = sent(form_of(page), username="ann", password=PASSWORD)
    assert (body_of(back), bodies(forum)) == ("A long text", ["A long text"])
    assert body_of(member.get(f"/topics/{topic}")) == "A long text"
    assert form_of(back).submit().status_int == 303
    assert (bodies(forum), forum.count(Reply)) == ([], 1)


def test_a_text_of_an_ended_session_replaces_no_other_draft(forum, member, topic, author):
    form = reply_form(member, topic)
    author.put(f"/drafts/reply-{topic}", body="Of the phone")
    expire_sessions(forum)
    page = sent(form, body="Of the desk")
    back = sent(form_of(page), username="ann", password=PASSWORD)
    assert (body_of(back), bodies(forum)) == ("Of the desk", ["Of the phone"])


def test_a_deletion_of_a_draft_that_changed_meanwhile_shows_it_again(forum, member, author):
    author.put("/drafts/note.1", body="First")
    form = member.form("/settings/drafts/note.1")
    author.put("/drafts/note.1", body="Second")
    page = form.submit().follow()
    assert "changed since" in page.html.find(role="status").text
    assert bodies(forum) == ["Second"]
    assert form_of(page).submit().location.endswith("/settings/drafts")
    assert bodies(forum) == []
