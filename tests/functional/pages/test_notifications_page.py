"""The page of notifications, and what marks them as read."""

import re

import pytest
from sqlalchemy import select

from forumsvc import clock
from forumsvc.db.statements import update_of
from forumsvc.models import Notification, NotificationType, Topic, User
from forumsvc.pages import page_context, post_html
from forumsvc.pages.paging import ROWS
from forumsvc.pages.topics import show
from forumsvc.queries import unread_groups
from tests.functional.forum import Forum, Person

from .visitor import Visitor, button_form, form_of, with_password


@pytest.fixture
def topic(forum: Forum, ann: int, visitor: Visitor) -> int:
    """A topic of ann, who is logged in, with a reply and a mention of her by bob."""
    visitor.log_in()
    node, bob = forum.node(), forum.person("bob")
    topic_id = forum.topic(forum.person("carl"), node, title="A talk")
    forum.reply(bob, topic_id, "Hello @ann")
    bob.post(f"/users/{ann}/follow")
    return topic_id


def unread(forum: Forum, user_id: int) -> tuple[int, int]:
    """Return the stored count of unread notifications, and their number."""
    with forum.database.session() as db:
        stored = db.scalar(select(User.unread_count).where(User.id == user_id))
        rows = db.scalars(
            select(Notification.id).where(
                Notification.user_id == user_id, Notification.read_at.is_(None)
            )
        ).all()
    return stored or 0, len(rows)


def test_a_mention_is_shown_and_leads_to_the_reply(visitor, topic):
    page = visitor.get("/notifications")
    assert "mentioned you in" in page.text
    place = page.click("A talk").location
    assert place.startswith(f"/topics/{topic}#reply-")


@pytest.mark.parametrize("kind", sorted({*NotificationType} - {NotificationType.MODERATION}))
def test_the_page_has_words_for_each_kind(forum, visitor, topic, kind):
    shown = []
    for word in (kind, "OfANewerVersion"):
        with forum.database.session.begin() as db:
            db.execute(update_of(Notification).values(type=word))
        shown.append(visitor.get("/notifications").html.get_text())
    assert shown[0] != shown[1]


@pytest.mark.parametrize(
    "details", ["{}", "[]", '{"action": ["x"]}', '{"action": "user.warned", "until": 5}']
)
def test_a_notice_of_a_dump_that_is_not_as_ours_is_shown(forum, visitor, topic, details):
    with forum.database.session.begin() as db:
        odd = {"type": NotificationType.MODERATION, "details": details}
        db.execute(update_of(Notification).values(odd))
    assert visitor.get("/notifications").status_int == 200


def test_a_text_is_shown_only_where_the_api_shows_it(forum, visitor, ann, topic):
    def shows_text() -> bool:
        return "Hello" in visitor.get("/notifications").html.get_text()

    def change(**columns: object) -> None:
        with forum.database.session.begin() as db:
            db.execute(update_of(Topic).values(**columns))

    assert shows_text()
    reader = forum.caller(forum.token(ann))
    reader.post("/users/bob/block")
    assert not shows_text(), "of an author whom she blocks"
    reader.post("/users/bob/unblock")
    change(banned_at=clock.now())
    assert not shows_text(), "in a topic that she may not see"
    change(user_id=ann)
    assert shows_text(), "in her own topic"


def beside_the_bell(visitor: Visitor) -> str | None:
    mark = visitor.get("/").html.find("a", href="/notifications").find("strong")
    return None if mark is None else str(mark.text)


def test_the_number_of_unread_entries_is_beside_the_link(forum, visitor, ann, topic):
    assert beside_the_bell(visitor) == "2 unread"
    dora = forum.person("dora")
    for _ in range(3):
        forum.reply(dora, topic, "Hello again, @ann")
    assert unread(forum, ann) == (5, 5)
    assert beside_the_bell(visitor) == "2 unread"
    assert len(entries(visitor, unread="true")) == 2
    form_of(visitor.get("/notifications")).submit()
    assert beside_the_bell(visitor) is None
    forum.reply(dora, topic, "And again, @ann")
    assert beside_the_bell(visitor) == "1 unread"


def test_very_many_unread_entries_are_not_counted_to_the_end(
    forum, visitor, ann, topic, monkeypatch
):
    monkeypatch.setattr(page_context, "_MOST_SHOWN", 1)
    assert beside_the_bell(visitor) == "1+ unread"
    monkeypatch.setattr(page_context, "_MOST_SHOWN", 99)
    monkeypatch.setattr(unread_groups, "MAX_EXAMINED", 2)
    unread_groups._count.cache_clear()
    assert beside_the_bell(visitor) == "2 unread"
    forum.reply(forum.person("dora"), topic, "Hello again, @ann")
    assert beside_the_bell(visitor) == "2+ unread"
    unread_groups._count.cache_clear()


def test_all_are_marked_as_read_but_those_after_the_page(forum, visitor, ann, topic):
    form = visitor.get("/notifications").forms
    mark = next(one for one in form.values() if one.action == "/notifications/read")
    forum.reply(forum.person("dora"), topic, "@ann again")
    assert mark.submit().follow().status_int == 200
    assert unread(forum, ann) == (1, 1)


def test_one_entry_is_marked_as_read_and_what_came_to_it_later_is_not(forum, visitor, ann, topic):
    dora = forum.person("dora")
    forum.reply(dora, topic, "@ann again")
    page = visitor.get("/notifications?unread=true")
    mentions, follower = page.html.select(".entry button")
    forum.reply(dora, topic, "@ann once more")
    button_form(page, mentions).submit().follow()
    assert unread(forum, ann) == (2, 2)
    assert button_form(page, follower).submit().location == "/notifications?unread=true"
    assert unread(forum, ann) == (1, 1)
    assert "once more" in visitor.get("/notifications?unread=true").html.get_text()


def test_nobody_marks_an_entry_of_somebody_else(forum, visitor, ann, topic):
    entry = visitor.get("/notifications").html.select_one(".entry button")["value"]
    with_password(forum, "eve")
    eve = Visitor(forum)
    eve.log_in("eve")
    assert eve.post("/notifications/read", entry=entry).status_int == 303
    assert unread(forum, ann) == (2, 2)


def test_opening_a_topic_marks_what_tells_of_it(forum, visitor, ann, topic):
    assert unread(forum, ann) == (2, 2)
    visitor.get(f"/topics/{topic}")
    forum.registry.read_marker.finish()
    assert unread(forum, ann) == (1, 1)


@pytest.mark.parametrize(
    "headers", [{"Sec-Purpose": "prefetch;prerender"}, {"X-Requested-With": "fetch"}]
)
def test_a_page_that_nobody_looks_at_marks_nothing(forum, visitor, ann, topic, headers):
    visitor.app.get(f"/topics/{topic}", headers=headers)
    forum.registry.read_marker.finish()
    assert unread(forum, ann) == (2, 2)


def test_a_page_of_a_topic_marks_what_tells_of_its_replies_only(
    forum, visitor, ann, topic, monkeypatch
):
    for module in (post_html, show):
        monkeypatch.setattr(module, "REPLIES_PER_PAGE", 2)
    eve = forum.person("eve")
    for body in ("Second", "Third", "Fourth, @ann"):
        forum.reply(eve, topic, body)
    assert unread(forum, ann) == (3, 3)
    for page, left in ((1, 2), (1, 2), (2, 1)):
        visitor.get(f"/topics/{topic}", page=page)
        forum.registry.read_marker.finish()
        assert unread(forum, ann) == (left, left)


@pytest.fixture
def short_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (post_html, show):
        monkeypatch.setattr(module, "REPLIES_PER_PAGE", 2)


@pytest.mark.usefixtures("short_pages")
def test_an_entry_of_replies_leads_to_the_first_unread_one_and_is_read_once_opened(
    forum, visitor, ann
):
    visitor.log_in()
    mine = forum.topic(Person(forum.app, forum.token(ann), ann, "ann"), forum.node(), title="Mine")
    bob = forum.person("bob")
    bodies = ["One", "Two", "Three", "@ann", "Five", "Six", "@ann"]
    made = [forum.reply(bob, mine, body) for body in bodies]
    assert unread(forum, ann) == (7, 7)
    assert entries(visitor, unread="true") == [
        "Unread 2 mentions of you by bob in Mine",
        "Unread 7 unread replies by bob in Mine",
    ]
    page = visitor.get("/notifications")
    mentions, replies = page.html.find_all("a", string="Mine")
    assert mentions["href"] == f"/replies/{made[3]}"
    assert visitor.get(replies["href"]).location == f"/topics/{mine}#reply-{made[0]}"
    visitor.get(f"/topics/{mine}")
    forum.registry.read_marker.finish()
    assert unread(forum, ann) == (2, 2)
    assert entries(visitor, unread="true") == ["Unread 2 mentions of you by bob in Mine"]
    visitor.get(f"/topics/{mine}", page=4)
    forum.registry.read_marker.finish()
    assert entries(visitor)[0] == "Unread 2 mentions of you by bob in Mine"
    assert "1 unread" in visitor.get("/notifications").text
    visitor.get(f"/topics/{mine}", page=2)
    forum.registry.read_marker.finish()
    assert unread(forum, ann) == (0, 0)


@pytest.mark.usefixtures("short_pages")
def test_a_later_page_reads_what_tells_of_replies_before_it_and_an_earlier_one_does_not(
    forum, visitor, ann
):
    visitor.log_in()
    bob, node = forum.person("bob"), forum.node()
    topic = forum.topic(bob, node)
    reader = Person(forum.app, forum.token(ann), ann, "ann")
    for _ in range(2):
        forum.reply(bob, topic)
    reader.post(f"/topics/{topic}/follow")
    for _ in range(3):
        forum.reply(bob, topic)
    for page, left in ((1, 1), (3, 0)):
        visitor.get(f"/topics/{topic}", page=page)
        forum.registry.read_marker.finish()
        assert unread(forum, ann) == (left, left), page


def test_a_reply_that_comes_after_the_page_was_opened_notifies(forum, visitor, ann):
    visitor.log_in()
    mine = forum.topic(Person(forum.app, forum.token(ann), ann, "ann"), forum.node())
    bob, marker = forum.person("bob"), forum.registry.read_marker
    forum.reply(bob, mine)
    with marker._flush_lock:  # what was opened waits
        visitor.get(f"/topics/{mine}")
        forum.reply(bob, mine)
    marker.finish()
    assert unread(forum, ann) == (1, 1)


def entries(visitor: Visitor, **query: str) -> list[str]:
    """Return the first line of each entry of the page."""
    page = visitor.get("/notifications", **query)
    return [
        " ".join(entry.find(class_="about").get_text(" ", strip=True).split(" · ")[0].split())
        for entry in page.html.find_all("article")
    ]


def test_replies_of_a_topic_are_one_entry_that_leads_to_the_first_unread_one(forum, visitor, ann):
    visitor.log_in()
    writer, node = Person(forum.app, forum.token(ann), ann, "ann"), forum.node()
    mine = forum.topic(writer, node, title="My <topic>")
    people = [forum.person(f"u{number}") for number in range(1, 6)]
    made: list[int] = []
    for count, said in (
        (1, "u1 replied in"),
        (2, "2 unread replies by u2 and u1 in"),
        (3, "3 unread replies by u3 , u2 and u1 in"),
        (5, "5 unread replies by u5 , u4 and 3 others in"),
    ):
        made += [forum.reply(person, mine) for person in people[len(made) : count]]
        assert entries(visitor) == [f"Unread {said} My <topic>"]
    for number, unread_reply in enumerate(made[:2]):
        page = visitor.get("/notifications")
        assert page.html.find("a", string="My <topic>")["href"] == f"/replies/{unread_reply}"
        assert f"{5 - number} unread replies" in page.text
        writer.post(f"/topics/{mine}/read", reply_id=unread_reply)
    forum.reply(people[0], mine, "For @ann")
    assert entries(visitor)[0] == "Unread u1 mentioned you in My <topic>"
    assert len(entries(visitor)) == 2
    chinese = visitor.app.get("/notifications", headers={"Accept-Language": "zh"})
    assert "和另外 2 人" in chinese.html.find_all("article")[1].get_text()


def test_only_unread_ones_are_shown_where_asked(forum, visitor, ann, topic):
    assert len(entries(visitor, unread="true")) == len(entries(visitor)) == 2
    page = visitor.get("/notifications").click("Unread only")
    assert page.html.find("a", string="Unread only")["aria-current"] == "page"
    form_of(page).submit()
    assert entries(visitor, unread="true") == []
    assert len(entries(visitor)) == 2
    empty = visitor.get("/notifications", unread="true")
    assert "You have read all notifications." in empty.text
    assert len(empty.click("All").html.find_all("article")) == 2


def test_the_pages_show_each_group_once(forum, visitor, ann):
    visitor.log_in()
    author, node = forum.person("author"), forum.node()
    topics = [forum.topic(author, node, title=f"T{n}", body="@ann") for n in range(ROWS + 1)]
    for topic_id in (*topics, topics[0]):
        forum.reply(author, topic_id, "Hello @ann")
    first = visitor.get("/notifications", unread="true")
    second = first.click("Older")
    assert "unread=true" in second.request.url
    titles = [
        entry.find("a", href=re.compile("^/replies|^/topics")).string
        for page in (first, second)
        for entry in page.html.find_all("article")
    ]
    assert titles == ["T0", *(f"T{n}" for n in range(ROWS, 0, -1))]


def test_all_are_marked_as_read_on_every_page_but_those_that_came_since(forum, visitor, ann):
    visitor.log_in()
    author, node = forum.person("author"), forum.node()
    for _ in range(ROWS + 1):
        forum.topic(author, node, body="@ann")
    second = visitor.get("/notifications").click("Older")
    forum.topic(author, node, body="@ann", title="Later")
    form_of(second).submit()
    assert entries(visitor, unread="true") == ["Unread author mentioned you in Later"]


def test_all_are_deleted_once_a_page_has_asked(forum, visitor, ann, topic):
    page = visitor.get("/notifications").click("Delete all")
    assert unread(forum, ann) != (0, 0)
    form_of(page).submit()
    assert "There is nothing here yet." in visitor.get("/notifications").text
    assert unread(forum, ann) == (0, 0)
