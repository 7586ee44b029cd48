"""The page of notifications, and what marks them as read."""

import pytest
from sqlalchemy import select

from forumsvc.db.statements import update_of
from forumsvc.models import Notification, NotificationType, User
from forumsvc.pages import post_html
from forumsvc.pages.topics import show
from tests.functional.forum import Forum

from .visitor import Visitor, form_of


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


def test_the_number_of_the_unread_ones_is_beside_the_link(visitor, topic):
    link = visitor.get("/").html.find("a", href="/notifications")
    assert link.find("strong").text == "2"


def test_all_are_marked_as_read_but_those_after_the_page(forum, visitor, ann, topic):
    form = visitor.get("/notifications").forms
    mark = next(one for one in form.values() if one.action == "/notifications/read")
    forum.reply(forum.person("dora"), topic, "@ann again")
    assert mark.submit().follow().status_int == 200
    assert unread(forum, ann) == (1, 1)


def test_opening_a_topic_marks_what_tells_of_it(forum, visitor, ann, topic):
    assert unread(forum, ann) == (2, 2)
    visitor.get(f"/topics/{topic}")
    forum.registry.read_marker.finish()
    assert unread(forum, ann) == (1, 1)


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


def test_all_are_deleted_once_a_page_has_asked(forum, visitor, ann, topic):
    page = visitor.get("/notifications").click("Delete all")
    assert unread(forum, ann) != (0, 0)
    form_of(page).submit()
    assert "There is nothing here yet." in visitor.get("/notifications").text
    assert unread(forum, ann) == (0, 0)
