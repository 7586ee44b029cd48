"""How heavy the pages are that people open most: bytes of HTML, not compressed."""

import pytest
from sqlalchemy import update

from forumsvc import clock
from forumsvc.models import Topic
from forumsvc.pages.post_html import REPLIES_PER_PAGE

TEXT = "Some words with a [link](https://example.org) and `code`, as posts have them. " * 4
"""A text of ordinary length: 50 words, 312 characters."""


def test_a_full_list_of_topics_with_long_titles_and_all_marks_is_at_most_40_kb(forum, visitor, ann):
    alice, bob, node = forum.person("alice"), forum.person("bob"), forum.node("Boats and sails")
    for number in range(20):
        topic = forum.topic(alice, node, title=f"Boat {number}".ljust(100, "x"), body=TEXT)
        forum.reply(bob, topic)
    now = clock.now()
    with forum.database.session.begin() as db:
        db.execute(update(Topic).values(excellent_at=now, closed_at=now, pinned_at=now))
    for login in ("", "ann"):
        if login:
            visitor.log_in(login)
        page = visitor.get("/")
        assert len(page.html.select(".topics > li")) == 20
        assert len(page.body) <= 40_000, login or "nobody"


@pytest.mark.parametrize(("login", "most"), [("", 60_000), ("ann", 98_000)])
def test_a_topic_is_at_most_60_kb_and_98_kb_with_the_buttons_of_a_member(
    forum, visitor, ann, login, most
):
    people = [forum.person(f"person{number}") for number in range(7)]
    topic = forum.topic(people[0], forum.node(), body=TEXT)
    for number in range(REPLIES_PER_PAGE):
        forum.reply(people[number % 7], topic, f"{number}: {TEXT}")
    if login:
        visitor.log_in(login)
    page = visitor.get(f"/topics/{topic}")
    assert len(page.html.select("article.reply")) == REPLIES_PER_PAGE
    assert len(page.body) <= most
