"""The pages of former texts: many of them, long ones, and in every script."""

import pytest
from sqlalchemy import insert

from forumsvc import clock
from forumsvc.models import PostVersion
from forumsvc.pages.topics import versions
from tests.functional.forum import Forum, Person
from tests.functional.pages.visitor import Visitor
from tests.functional.rows import complete
from tests.functional.statements import counting

SCRIPT = "</p></article><script>hostile()</script>"


@pytest.fixture
def author(forum: Forum, ann: int) -> Person:
    return Person(forum.app, forum.token(ann), ann, "ann")


def keep(forum: Forum, author: Person, topic: int, *bodies: str) -> None:
    """Let a topic have had these texts."""
    row = {"topic_id": topic, "user_id": author.id, "editor_id": author.id, "title": SCRIPT}
    row["replaced_at"] = clock.now()
    kept = [{**row, "number": number, "body": body} for number, body in enumerate(bodies, 1)]
    with forum.database.session.begin() as db:
        db.execute(insert(PostVersion), [complete(PostVersion, one) for one in kept])


def test_many_versions_are_paged_and_each_is_compared_with_the_next(forum, member, author):
    topic = forum.topic(author, forum.node(), body="Text 26")
    keep(forum, author, topic, *(f"Text {number}" for number in range(1, 26)))
    path, seen = f"/topics/{topic}/versions", []
    with counting(forum.registry.database) as first:
        page = member.get(path)
    while page is not None:
        entries = page.html.select(".entry .bio")
        seen += [[text.find("del").text, text.find("ins").text] for text in entries]
        older = page.html.find("a", rel="next")
        page = member.get(older["href"]) if older else None
    assert seen == [[f"{number}", f"{number + 1}"] for number in range(25, 0, -1)]
    with counting(forum.registry.database) as second:
        member.get(path, page=2)
    assert len(second) == len(first) + 1


def test_a_hostile_text_is_shown_as_it_was_written(forum, member, author):
    topic = forum.topic(author, forum.node(), title="T", body=f"{SCRIPT} & more")
    others = "\u202e\u2067<b>", "你好世界", "قارب كبير"
    keep(forum, author, topic, f"{SCRIPT} & less {{{{ 7 * 7 }}}}", *others)
    for path in ("", "/1", "/2", "/3", "/4"):
        page = member.get(f"/topics/{topic}/versions{path}")
        assert page.status_int == 200
        assert "<script>hostile" not in page.text
        assert not page.html.select(".entry b, .entry script")
        texts = page.html.select(".bio")
        assert [text["dir"] for text in texts] == ["auto"] * len(texts)
    whole = [member.get(f"/topics/{topic}/versions/{at}").html.find(class_="bio") for at in (1, 3)]
    assert "{{ 7 * 7 }}" in whole[0].text
    assert whole[1].find("del").text == "你好世界"


def test_very_long_texts_are_shown_each_on_its_page(forum, member, author, monkeypatch):
    monkeypatch.setattr(versions, "MAX_PAGE_TEXT", 250_000)
    topic = forum.topic(author, forum.node(), body="a" * 60_000)
    keep(forum, author, topic, *("b" * 100_000, "c c" * 33_000, "世" * 100_000))
    page = member.get(f"/topics/{topic}/versions")
    [first, second, third] = page.html.select(".entry")
    assert len(first.find(class_="bio").text) == 160_000
    for entry, number in ((second, 2), (third, 1)):
        assert entry.find(class_="bio") is None
        link = entry.find("a", href=f"/topics/{topic}/versions/{number}")
        assert len(member.get(link["href"]).html.find(class_="bio").text) > 190_000


def test_what_stays_of_a_long_text_is_left_out_in_the_list_alone(forum, member, author):
    words = " ".join(f"word{number}" for number in range(1_000))
    topic = forum.topic(author, forum.node(), body=f"{words} new {words}")
    keep(forum, author, topic, f"{words} old {words}")
    [listed, alone] = [
        member.get(f"/topics/{topic}/versions{end}").html.find(class_="bio").text
        for end in ("", "/1")
    ]
    assert len(listed) < 600
    assert alone == f"{words} oldnew {words}"


def test_a_topic_asks_for_versions_once_and_only_where_it_was_edited(
    forum: Forum, member: Visitor, author: Person, monkeypatch
):
    # What was read is written behind the request, perhaps while the next one is counted.
    monkeypatch.setattr(forum.registry.read_marker, "opened", lambda *args, **values: None)
    topic, bob = forum.topic(author, forum.node()), forum.person("bob")
    replies = [forum.reply(author, topic) for _ in range(3)]
    path = f"/topics/{topic}"
    member.get(path)
    with counting(forum.registry.database) as before:
        member.get(path)
    for reply in replies:
        bob.post("/likes", obj_type="reply", obj_id=reply)
        author.call("PATCH", f"/replies/{reply}", {"body": "Edited"})
    member.get(path)
    with counting(forum.registry.database) as after:
        page = member.get(path)
    assert len(page.html.select("a.edited")) == 3
    assert len(after) == len(before) + 1
