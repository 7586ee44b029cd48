"""Notifications in groups: made of all that a user has, on every page, whatever comes meanwhile."""

import random
from collections.abc import Iterator
from itertools import chain
from typing import Any

import pytest
from sqlalchemy import insert

from forumsvc import clock
from forumsvc.models import Notification, NotificationType, User
from forumsvc.queries import notification_groups
from tests.functional.forum import Forum, content
from tests.functional.paging import links, walk
from tests.functional.rows import insert_rows
from tests.functional.statements import of_request

pytestmark = pytest.mark.both_databases

PATH = "/notifications/groups"
TOGETHER = ("TopicReply", "Mention")


class Inbox:
    """A user with random notifications about a few topics, by a few others."""

    def __init__(self, forum: Forum, seed: int) -> None:
        self.forum = forum
        self.random = random.Random(seed)  # noqa: S311
        self.reader = forum.person("reader")
        author, node = forum.person("author"), forum.node()
        self.topics = [forum.topic(author, node, title=f"Topic {n}") for n in range(6)]
        with forum.database.session.begin() as db:
            self.actors = insert_rows(db, User, ({"login": f"u{n}"} for n in range(5)))
        self.add(60)

    def add(self, count: int) -> None:
        """Add the newest notifications."""
        choose = self.random.choice
        kinds = [*TOGETHER, *TOGETHER, "Follow", "Topic", "Moderation", "NodeChanged"]
        with self.forum.database.session.begin() as db:
            for _ in range(count):
                kind = choose(kinds)
                has_topic = kind != "Follow" and self.random.random() > 0.1
                row = {
                    "user_id": self.reader.id,
                    "actor_id": choose(self.actors),
                    "type": kind,
                    "topic_id": choose(self.topics) if has_topic else None,
                    "read_at": choose([None, clock.now()]),
                    "created_at": clock.now(),
                    "updated_at": clock.now(),
                }
                db.execute(insert(Notification).values(row))

    def expected(self, query: str = "") -> list[dict[str, Any]]:
        """Return the groups, made of the plain list by hand."""
        groups: dict[Any, list[Any]] = {}
        for one in self.reader.get(f"/notifications?limit=150{query}").json:
            topic = one["topic"] and one["topic"]["id"]
            is_grouped = one["type"] in TOGETHER and topic is not None
            groups.setdefault((one["type"], topic) if is_grouped else one["id"], []).append(one)
        return [by_hand(members) for members in groups.values()]


def by_hand(members: list[Any]) -> dict[str, Any]:
    actors = list(dict.fromkeys(one["actor"]["login"] for one in members))
    return {
        "type": members[0]["type"],
        "topic": members[0]["topic"],
        "actors": actors[:3],
        "actors_count": len(actors),
        "count": len(members),
        "unread_count": sum(not one["read"] for one in members),
        "unread_replies": None,  # the reader has a place in no topic
        "latest_at": members[0]["created_at"],
        "ids": [one["id"] for one in members],
    }


def shown(answer: Any) -> list[dict[str, Any]]:
    """Return the groups of a page, with the logins of their actors."""
    assert answer.status_int == 200, answer.text
    return [
        {**group, "actors": [actor["login"] for actor in group["actors"]]}
        for group in content(answer)
    ]


@pytest.fixture(params=[1000, 10], ids="recent={}".format)
def inbox(
    forum: Forum, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Inbox]:
    """Notifications that all are looked at first, or the newest ones alone."""
    monkeypatch.setattr(notification_groups, "_RECENT", request.param)
    notification_groups._page.cache_clear()
    yield Inbox(forum, request.param)
    notification_groups._page.cache_clear()


@pytest.mark.parametrize(
    "query",
    ["", "&unread=true", "&type=TopicReply", "&type=Mention,Follow&unread=true", "&topic_id={}"],
)
def test_groups_are_those_made_by_hand_on_pages_of_every_size(inbox, query):
    query = query.format(inbox.topics[0])
    expected = inbox.expected(query)
    assert len(expected) > 1
    for limit in (1, 2, 7, 150):
        pages = [*walk(inbox.reader, f"{PATH}?limit={limit}{query}", "next")]
        assert [*chain(*map(shown, pages))] == expected
        back = [*walk(inbox.reader, f"{PATH}?limit={limit}{query}&offset={len(expected)}", "prev")]
        assert [*chain(*map(shown, reversed(back[1:])))] in (expected, [])
        last = links(pages[-1]).get("prev")
        if last is not None:
            before = [*walk(inbox.reader, last, "prev")]
            assert [*chain(*map(shown, reversed(before)))] == [*chain(*map(shown, pages[:-1]))]
    assert shown(inbox.reader.get(f"{PATH}?limit=3&offset=2{query}")) == expected[2:5]


def test_what_comes_between_two_pages_moves_no_group(inbox):
    expected = inbox.expected()
    seen = []
    following = f"{PATH}?limit=3"
    for _ in range(100):
        page = inbox.reader.get(following)
        seen += shown(page)
        inbox.add(3)
        if "next" not in links(page):
            break
        following = links(page)["next"]
    assert seen == expected
    assert shown(inbox.reader.get(PATH, limit=150)) == inbox.expected()


def test_reading_the_ids_of_a_group_reads_the_group(inbox):
    group = next(one for one in inbox.expected() if one["count"] > 2 and one["unread_count"])
    inbox.reader.call("POST", "/notifications/read", json={"ids": group["ids"]})
    [again] = [one for one in inbox.expected() if one["ids"] == group["ids"]]
    assert again == {**group, "unread_count": 0}
    assert again in shown(inbox.reader.get(PATH, limit=150))


def test_a_page_costs_five_statements_or_six_however_long_the_groups_are(forum, inbox):
    plain = len(of_request(forum, inbox.reader, "GET", "/notifications/unread_count"))
    costs = [
        len(of_request(forum, inbox.reader, "GET", f"{PATH}?limit={limit}")) - plain
        for limit in (1, 20, 150)
    ]
    assert costs[0] <= 5
    assert costs[1:] == ([5, 5] if notification_groups._RECENT == 1000 else [6, 6])


def test_of_a_large_group_the_newest_ids_are_listed_and_all_are_counted(inbox, monkeypatch):
    monkeypatch.setattr(notification_groups, "MAX_IDS", 2)
    expected = inbox.expected()
    assert max(one["count"] for one in expected) > 2
    cut = [{**one, "ids": one["ids"][:2]} for one in expected]
    assert shown(inbox.reader.get(PATH, limit=150)) == cut


def test_a_cursor_of_another_list_is_refused(inbox):
    plain = links(inbox.reader.get("/notifications", limit=2))["next"].partition("after=")[2]
    for name in ("after", "before"):
        assert inbox.reader.get(PATH, **{name: plain}).status_int == 400
    other = links(inbox.reader.get(PATH, limit=2))["next"].partition("after=")[2]
    assert inbox.reader.get("/notifications", after=other).status_int == 400


def test_groups_are_of_the_caller_alone(inbox):
    stranger = inbox.forum.person("stranger")
    assert shown(stranger.get(PATH)) == []
    assert inbox.forum.nobody.get(PATH).status_int == 401


def test_a_notice_of_the_moderators_is_by_the_forum_itself(make_forum):
    forum: Forum = make_forum(api__envelope="keyed", site__name="The forum")
    inbox = Inbox(forum, 3)
    groups = content(inbox.reader.get(PATH, limit=150))
    of_kind = {group["type"]: group for group in groups}
    assert {*of_kind} == {*TOGETHER, "Follow", "Topic", "Moderation", "NodeChanged"}
    assert of_kind[NotificationType.MODERATION]["actors"][0]["name"] == "The forum"
    assert "abilities" in of_kind["Follow"]["actors"][0]
