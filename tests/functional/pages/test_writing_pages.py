"""The forms of topics and replies: pictures in them, and what they refuse."""

import re

from webtest import Upload

from forumsvc.models import Node, Photo, Reply, Topic
from tests.cases import each
from tests.functional.forum import Forum, Person, content

from .pictures import png
from .visitor import Visitor, sent, wrong


def test_a_picture_is_put_at_the_end_of_the_text(forum: Forum, member: Visitor, topic: int) -> None:
    form = member.form(f"/topics/{topic}")
    page = sent(form, body="Look:", picture=png()).follow().follow()
    picture = page.html.find(class_="reply").find(class_="forum-content").find("img")
    assert picture["src"].startswith("http://localhost/photos/")
    assert forum.count(Photo) == 1


def test_a_preview_uploads_the_picture_and_keeps_it_in_the_text(
    forum: Forum, member: Visitor, topic: int
) -> None:
    form = member.form(f"/topics/{topic}/replies")
    form["body"], form["picture"] = "Look:", png()
    page = form.submit("preview")
    assert page.html.find(class_="forum-content").find("img") is not None
    assert "![](http://localhost/photos/" in page.html.find(id="body").text
    assert (forum.count(Photo), forum.count(Reply)) == (1, 0)


def test_a_change_of_a_reply_has_a_preview(forum: Forum, visitor: Visitor, ann: int) -> None:
    reply = forum.reply(forum.person("alice"), forum.topic(forum.person("bob"), forum.node()))
    forum.change(ann, role="maintainer")
    visitor.log_in()
    form = visitor.form(f"/replies/{reply}/edit")
    form["body"] = "*Better*"
    page = form.submit("preview")
    assert page.html.find(class_="forum-content").em.text == "Better"
    assert forum.nobody.get(f"/replies/{reply}").json["body"] == "A reply"


def test_an_author_changes_a_topic_and_a_reply(forum: Forum, member: Visitor, ann: int) -> None:
    author, node, other = forum.caller(forum.token(ann)), forum.node(), forum.node("Other")
    topic = content(author.post("/topics", title="T", node_id=node, body="B"))["id"]
    reply = content(author.post(f"/topics/{topic}/replies", body="R"))["id"]
    changed = {"title": "New", "node_id": str(other), "body": "New body"}
    assert sent(member.form(f"/topics/{topic}/edit"), **changed).status_int == 303
    shown = author.get(f"/topics/{topic}").json
    assert {name: str(shown[name]) for name in changed} == changed
    assert sent(member.form(f"/replies/{reply}/edit"), body="New reply").status_int == 303
    assert author.get(f"/replies/{reply}").json["body"] == "New reply"


@each("body", ["a\nb\n\nc", "\n\nbegins with blank lines", "a" + "\n" * 65_534 + "b"])
def test_a_text_that_is_opened_and_saved_as_browsers_do_stays_the_same(
    forum: Forum, member: Visitor, ann: int, body: str
) -> None:
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


def test_a_refused_picture_saves_nothing(forum: Forum, member: Visitor, topic: int) -> None:
    upload = Upload("a.png", b"no picture", "image/png")
    page = sent(member.form(f"/topics/{topic}/replies"), body="Look:", picture=upload)
    assert page.status_int == 400
    assert "Not a PNG" in page.html.find(id="picture-wrong").text
    assert page.html.find(id="body").text.strip() == "Look:"
    assert (forum.count(Photo), forum.count(Reply)) == (0, 0)


def test_a_refused_text_saves_no_picture(forum: Forum, member: Visitor) -> None:
    forum.node()
    form = member.form("/topics/new")
    form["title"], form["body"], form["picture"] = "T" * 300, "Look:", png()
    form["node_id"].select(text="General")
    assert "characters" in wrong(form.submit(status="*"))
    assert (forum.count(Photo), forum.count(Topic)) == (0, 0)


def test_errors_are_in_the_language_of_the_reader(member: Visitor, topic: int) -> None:
    member.app.extra_environ["HTTP_ACCEPT_LANGUAGE"] = "zh-CN"
    page = sent(member.form(f"/topics/{topic}/replies"), body=" ")
    assert wrong(page) == "您的回复不能为空。"
    assert "没有内容" in member.get("/topics/999999").text


def test_a_reply_is_quoted(forum: Forum, member: Visitor, topic: int) -> None:
    reply = forum.reply(forum.person("bob"), topic, "First\nSecond")
    form = member.form(f"/topics/{topic}/replies", quote=str(reply))
    assert form["body"].value.strip() == "> First\n> Second\n\n@bob #1"


def test_those_who_like_a_topic_or_a_reply_are_listed(
    forum: Forum, visitor: Visitor, topic: int
) -> None:
    bob, reply = forum.person("bob"), forum.reply(forum.person("carl"), topic, "Yes")
    bob.post("/likes", obj_type="topic", obj_id=topic)
    bob.post("/likes", obj_type="reply", obj_id=reply)
    page = visitor.get(f"/topics/{topic}")
    for path in (f"/topics/{topic}/likes", f"/replies/{reply}/likes"):
        assert page.click(href=f"{path}$").click("bob").status_int == 200


def test_a_number_of_a_reply_leads_to_it_from_every_page(
    forum: Forum, visitor: Visitor, topic: int
) -> None:
    bob = forum.person("bob")
    for _ in range(50):
        forum.reply(bob, topic)
    forum.reply(bob, topic, "See #1 and #51")
    there = [f"/topics/{topic}#floor-1", "#floor-51"]
    elsewhere = [f"/topics/{topic}#floor-1", f"/topics/{topic}?page=2#floor-51"]
    for path, hrefs in ((f"/topics/{topic}?page=2", there), ("/bob/replies", elsewhere)):
        shown = visitor.get(path).html.find_all("a", class_="floor-reference")
        assert [link["href"] for link in shown] == hrefs


def test_a_number_without_a_reply_is_no_link(forum: Forum, visitor: Visitor) -> None:
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


def test_without_a_node_the_form_of_a_topic_says_what_is_missing(
    forum: Forum, visitor: Visitor, ann: int
) -> None:
    visitor.log_in()
    page = visitor.get("/topics/new").html.find("main")
    assert "There are no nodes yet" in page.text
    assert page.find("form") is None
    forum.node()
    assert visitor.get("/topics/new").html.find("main").find(id="title") is not None


def test_a_title_and_a_text_are_written_as_sentences_are(
    forum: Forum, visitor: Visitor, ann: int
) -> None:
    forum.node()
    visitor.log_in()
    page = visitor.get("/topics/new").html
    for name in ("title", "body"):
        field = page.find(id=name).attrs
        assert not {"autocapitalize", "spellcheck"} & set(field)
    assert visitor.get("/settings/email").html.find(id="email")["autocapitalize"] == "none"


def test_all_that_is_wrong_is_said_at_once_and_the_first_field_has_the_focus(
    forum: Forum, member: Visitor
) -> None:
    forum.node()
    page = member.send("/topics/new", title="", node_id="", body=" ")
    assert page.status_int == 400
    said = {one["id"]: one.text for one in page.html.find_all(class_="wrong")}
    assert said == {
        "title-wrong": "Title must not be empty.",
        "node_id-wrong": "Choose a node.",
        "body-wrong": "Text must not be empty.",
    }
    assert [one["id"] for one in page.html.find_all(autofocus=True)] == ["title"]


def test_a_text_that_shows_nothing_is_refused_beside_its_field(
    forum: Forum, member: Visitor
) -> None:
    node = forum.node()
    page = member.send("/topics/new", title="T", node_id=str(node), body="&nbsp;")
    assert page.status_int == 400
    assert page.html.find(id="body-wrong").text == "Text must not be empty."


def test_a_table_with_an_attribute_does_not_end_the_page_around_it(
    forum: Forum, visitor: Visitor
) -> None:
    table = '<table title="x"><tr><td>b</td></tr></table>'
    body = "\n\n".join(["<table><tr><td>a</td></tr></table>", *[table] * 3, "## Log in again"])
    topic = forum.topic(forum.person("bob"), forum.node(), body=body)
    page = visitor.get(f"/topics/{topic}")
    content = re.search(r'<div class="forum-content.*?>(.*?)</article>', page.text, re.S)
    assert content is not None
    shown = content[1]
    assert len(re.findall(r"<div[ >]", shown)) + 1 == shown.count("</div>")
    assert page.html.find(string="Log in again").find_parent(class_="forum-content")
