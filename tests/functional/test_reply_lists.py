"""The replies of a topic: both orders, the last page, a run around one, and places."""

from itertools import chain
from typing import Any

import pytest
from sqlalchemy import update

from forumsvc import clock
from forumsvc.db import keyset_paging
from forumsvc.models import Reply
from tests.functional.captured_sql import StatementCapture
from tests.functional.conftest import MakeForum
from tests.functional.explain import explain, nodes, relation_name
from tests.functional.forum import Forum
from tests.functional.paging import ids, links, walk
from tests.functional.rows import insert_rows
from tests.functional.test_list_plans import AS_IF_LARGE, of_postgresql, of_sqlite

pytestmark = pytest.mark.both_databases

COUNT = 11
MANY = 100_000


@pytest.fixture
def topic(forum: Forum) -> str:
    """The path of a topic's replies, of which the last ones are deleted; and those of another."""
    return filled(forum, COUNT, deleted=4)


def filled(forum: Forum, count: int, deleted: int) -> str:
    author, node = forum.person("author"), forum.node()
    topic, other = (forum.topic(author, node) for _ in range(2))
    with forum.database.session.begin() as db:
        pairs = (
            {"topic_id": one, "user_id": author.id} for _ in range(count) for one in (topic, other)
        )
        made = insert_rows(db, Reply, pairs)
        gone = Reply.id.in_(made[::2][count - deleted :])
        db.execute(update(Reply).where(gone).values(deleted_at=clock.now(), body="", body_html=""))
    return f"/topics/{topic}/replies"


@pytest.mark.parametrize("order", ["oldest", "newest"])
def test_the_last_page_has_replies_and_leads_back_through_the_whole_list(forum, topic, order):
    whole = ids(forum.nobody.get(topic, order=order, limit=150))
    assert len(whole) == COUNT
    for limit in (1, 4, COUNT, COUNT + 1):
        last = links(forum.nobody.get(topic, order=order, limit=limit))["last"]
        pages = [*walk(forum.nobody, last, "prev")]
        assert "next" not in links(pages[0])
        assert ids(pages[0]) == whole[-limit:]
        assert [*chain(*map(ids, reversed(pages)))] == whole
        assert {links(page)["last"] for page in pages} == {last}


def test_an_empty_topic_has_a_last_page(forum):
    author = forum.person("author")
    path = f"/topics/{forum.topic(author, forum.node())}/replies"
    there = links(forum.nobody.get(path))
    assert there.keys() == {"first", "last"}
    for target in there.values():
        answer = forum.nobody.get(target, include="place")
        assert (answer.json, answer.headers["Replies-Total"]) == ([], "0")


@pytest.mark.parametrize("order", ["oldest", "newest"])
def test_a_run_around_each_reply_holds_it_and_goes_on_in_both_directions(forum, topic, order):
    whole = ids(forum.nobody.get(topic, order=order, limit=150))
    for limit in (1, 2, 3, 6, COUNT, 150):
        for at, reply in enumerate(whole):
            page = forum.nobody.get(topic, order=order, limit=limit, around=reply)
            run = ids(page)
            assert reply in run
            assert len(run) <= limit
            # At least half of what there is place for comes from either side, and all at the end.
            assert len(run) >= min(limit, COUNT) - max(0, limit // 2 - at)
            before = walk(forum.nobody, links(page)["prev"], "prev") if run[0] != whole[0] else ()
            after = walk(forum.nobody, links(page)["next"], "next") if run[-1] != whole[-1] else ()
            assert [*chain(*map(ids, reversed([*before]))), *run, *chain(*map(ids, after))] == whole
            assert ("prev" in links(page)) is (run[0] != whole[0])
            assert ("next" in links(page)) is (run[-1] != whole[-1])


def test_a_run_around_a_reply_ends_after_the_bytes_of_a_page_but_holds_it(
    forum, topic, monkeypatch
):
    monkeypatch.setattr(keyset_paging, "MAX_TEXT", 0)
    for reply in ids(forum.nobody.get(topic, limit=3)):
        assert reply in ids(forum.nobody.get(topic, around=reply))


def test_places_are_the_numbers_of_the_pages_in_every_list(forum, topic):
    whole = ids(forum.nobody.get(topic, limit=150))
    numbers = {reply: place for place, reply in enumerate(whole, 1)}
    asked = [{"offset": 4}, {"around": whole[5]}, {}]
    for order in ("oldest", "newest"):
        for query in asked:
            first = forum.nobody.get(topic, order=order, limit=3, include="place", **query)
            for page in (first, *map(forum.nobody.get, links(first).values())):
                assert page.headers["Replies-Total"] == str(COUNT)
                assert {one["id"]: one["place"] for one in page.json}.items() <= numbers.items()
    shown = forum.app.get(topic.removesuffix("/replies"))
    for reply, place in numbers.items():
        assert shown.html.find(id=f"reply-{reply}").find(id=f"floor-{place}") is not None


def test_a_cached_list_with_places_ends_with_a_reply(forum, topic):
    author = forum.person("bob")
    for order in ("oldest", "newest"):
        query = {"order": order, "include": "place", "limit": 2}
        first = forum.nobody.get(topic, **query)
        tag = {"If-None-Match": first.headers["ETag"]}
        assert forum.nobody.call("GET", topic, query, headers=tag).status_int == 304
        forum.reply(author, int(topic.split("/")[2]))
        again = forum.nobody.call("GET", topic, query, headers=tag)
        assert again.status_int == 200
        totals = [int(page.headers["Replies-Total"]) for page in (first, again)]
        assert totals[1] == totals[0] + 1


def test_every_list_of_a_long_topic_is_read_by_its_index(make_forum: MakeForum):
    forum = make_forum()
    capture = StatementCapture(forum.registry.database)
    path = filled(forum, MANY, deleted=1000)
    middle = ids(forum.nobody.get(path, offset=MANY // 2))[0]
    last = links(forum.nobody.get(path))["last"]
    counted = f"{path}?around={middle}&include=place"
    with forum.database.reads.connect() as db:
        driver: Any = db.connection.driver_connection
        if not forum.database.is_sqlite:
            driver.execute(AS_IF_LARGE)
        for query in (last, f"{path}?order=newest", f"{path}?around={middle}"):
            with capture.capture() as sent:
                assert forum.nobody.get(query).json
            assert sent
            found = of_sqlite if forum.database.is_sqlite else of_postgresql
            assert [found(driver, statement) for statement in sent] == [[]] * len(sent), query
        with capture.capture() as sent:
            assert forum.nobody.get(counted).json
        # All are counted, but in the index alone.
        if forum.database.is_sqlite:
            plan = [row[3] for row in driver.execute(f"EXPLAIN QUERY PLAN {sent[-1].text}")]
            assert "COVERING INDEX ix_replies_topic_id_id" in plan[0]
        else:
            read = [
                relation_name(node) for plan in explain(driver, sent[-1]) for node in nodes(plan)
            ]
            assert {*read} == {"", "ix_replies_topic_id_id"}
        if not forum.database.is_sqlite:
            driver.execute("RESET ALL")
