"""The forms of topics and replies: pictures in them, and what they refuse."""

import re

import pytest
from webtest import Upload

from forumsvc import clock
from forumsvc.models import Node, Photo, Reply, SweepAction
from forumsvc.services.moderation import sweeps
from forumsvc.services.posts import counters
from tests.cases import each
from tests.functional.forum import Forum, Person

from .visitor import form_of, sent, wrong


@each("body", ["a\nb\n\nc", "\n\nbegins with blank lines", "a" + "\n" * 65_534 + "b"])
def test_a_text_that_is_opened_and_saved_as_browsers_do_stays_the_same(forum, member, ann, body):
    author = Person(forum.app, forum.token(ann), ann, "ann")
    topic = forum.topic(author, forum.node(f"{forum.count(Node)}"), body=body)
    reply = forum.reply(author, topic, body=body)
    for path in (f"/topics/{topic}", f"/replies/{reply}"):
        before = author.get(path).json
        form = member.form(f"{path}/edit")
        # An HTML parser leaves out the first line break of a text area.
        shown = form["body"].value.replace("\r\n", "\n")
        assert sent(form, body=shown.replace("\n", "\r\n")).status_int == 303
        after = author.get(path).json
        assert (after["body"], after["updated_at"]) == (body, before["updated_at"])


def test_a_refused_picture_saves_nothing(forum, member, topic):
    upload = Upload("a.png", b"no picture", "image/png")
    page = sent(member.form(f"/topics/{topic}/replies"), body="Look:", picture=upload)
    assert page.status_int == 400
    assert "Not a PNG" in page.html.find(id="picture-wrong").text
    assert page.html.find(id="body").text.strip() == "Look:"
    assert (forum.count(Photo), forum.count(Reply)) == (0, 0)


def test_errors_are_in_the_language_of_the_reader(member, topic):
    member.app.extra_environ["HTTP_ACCEPT_LANGUAGE"] = "zh-CN"
    page = sent(member.form(f"/topics/{topic}/replies"), body=" ")
    assert wrong(page) == "您的回复不能为空。"
    assert "没有内容" in member.get("/topics/999999").text


def test_a_number_of_a_reply_leads_to_it_from_every_page(forum, visitor, topic):
    bob = forum.person("bob")
    for _ in range(50):
        forum.reply(bob, topic)
    forum.reply(bob, topic, "See #1 and #51")
    there = [f"/topics/{topic}#floor-1", "#floor-51"]
    elsewhere = [f"/topics/{topic}#floor-1", f"/topics/{topic}?page=2#floor-51"]
    for path, hrefs in ((f"/topics/{topic}?page=2", there), ("/bob/replies", elsewhere)):
        shown = visitor.get(path).html.find_all("a", class_="floor-reference")
        assert [link["href"] for link in shown] == hrefs


def test_a_number_without_a_reply_is_no_link(forum, visitor):
    dora, body = forum.person("dora"), "#1 of the forums, not #2 or #99999"
    topic = forum.topic(dora, forum.node(), body=body)
    forum.reply(dora, topic, "As #3 says")
    shown = visitor.get(f"/topics/{topic}").html
    assert [link.text for link in shown.find_all("a", class_="floor-reference")] == ["#1"]
    assert body in shown.find(id="topic").text
    forum.reply(dora, topic, "Here")
    shown = visitor.get(f"/topics/{topic}").html
    links = shown.find_all("a", class_="floor-reference")
    assert [link["href"] for link in links] == ["#floor-1", "#floor-2"]


def test_a_table_with_an_attribute_does_not_end_the_page_around_it(forum, visitor):
    table = '<table title="x"><tr><td>b</td></tr></table>'
    body = "\n\n".join(["<table><tr><td>a</td></tr></table>", *[table] * 3, "## Log in again"])
    topic = forum.topic(forum.person("bob"), forum.node(), body=body)
    page = visitor.get(f"/topics/{topic}")
    content = re.search(r'<div class="forum-content.*?>(.*?)</article>', page.text, re.S)
    assert content is not None
    shown = content[1]
    assert len(re.findall(r"<div[ >]", shown)) + 1 == shown.count("</div>")
    assert page.html.find(string="Log in again").find_parent(class_="forum-content")


def _ann(forum: Forum, ann: int) -> Person:
    return Person(forum.app, forum.token(ann), ann, "ann")


@pytest.mark.parametrize("kind", ["topics", "replies"])
def test_an_author_takes_a_deletion_back(forum, member, ann, kind):
    author = _ann(forum, ann)
    topic = forum.topic(author, forum.node())
    path = f"/topics/{topic}" if kind == "topics" else f"/replies/{forum.reply(author, topic)}"
    page = member.send(f"{path}/delete").follow()
    assert "It is deleted" in page.text
    assert forum.nobody.get(path).status_int == 404
    done = form_of(page).submit().follow()
    assert forum.nobody.get(path).status_int == 200
    assert done.maybe_follow().status_int == 200
    # Once more: it is there already.
    assert form_of(page).submit(status="*").status_int == 303
    with forum.database.session() as db:
        assert [one.name for one in counters.check(db) if one.wrong] == []


@pytest.mark.parametrize("action", ["close", "ban", "delete"])
def test_a_reply_does_not_come_back_into_a_topic_that_was_closed_banned_or_deleted(
    forum, member, ann, action
):
    chief = forum.person("chief", role="maintainer")
    topic = forum.topic(chief, forum.node())
    reply = forum.reply(_ann(forum, ann), topic)
    page = member.send(f"/replies/{reply}/delete").follow()
    path = f"/topics/{topic}"
    done = chief.delete(path) if action == "delete" else chief.post(f"{path}/action", type=action)
    assert done.status_int == 200
    assert form_of(page).submit(status="*").status_int in (403, 404)
    assert chief.get(f"/replies/{reply}").json["deleted"]


@pytest.mark.parametrize("kind", ["topics", "replies"])
@pytest.mark.parametrize("decision", ["deletes it", "delete", "dismiss", "sweeps the author"])
def test_what_a_moderator_has_decided_since_is_not_taken_back(forum, member, ann, kind, decision):
    author = _ann(forum, ann)
    topic = forum.topic(author, forum.node())
    post = topic if kind == "topics" else forum.reply(author, topic)
    reporter = forum.person("reporter")
    kind_of = {"topics": "topic", "replies": "reply"}[kind]
    reporter.post("/reports", obj_type=kind_of, obj_id=post, category="spam")
    address = member.send(f"/{kind}/{post}/delete").location
    chief = forum.person("chief", role="maintainer", scope="read write moderate")
    if decision == "deletes it":
        done = chief.delete(f"/{kind}/{post}")
    elif decision in ("delete", "dismiss"):
        [review] = chief.get("/reviews").json
        done = chief.post(f"/reviews/{review['id']}/resolve", decision=decision, reason="spam")
    else:
        with forum.database.session.begin() as db:
            sweeps.order(db, chief.id, clock.now(), ann, SweepAction.DELETE, since=None)
        done = chief.get("/reviews")
    assert done.status_int < 300, done.text
    assert member.get(address).status_int == 404
