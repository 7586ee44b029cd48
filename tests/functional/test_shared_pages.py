"""A cached page equals an uncached one byte for byte, whoever requested it first."""

import sys
from typing import Any, cast

import pytest
from sqlalchemy import Table, delete, update

from forumsvc.cache import invalidation
from forumsvc.models import Topic, TopicRead
from tests.cases import each
from tests.functional.forum import content

NO_FLUSH = {"topics__view_count_flush_seconds": "3600"}
"""While views are written a page may count one twice."""
PLAIN = {"site__url": "http://localhost", **NO_FLUSH}
HOSTILE = '","hits":5,"x":"\\"hits\\":6 \u2028 \\","hits":7}'
TITLE = HOSTILE.replace("\u2028", "")
"""A title has one line only."""


@pytest.mark.both_databases
def test_texts_that_look_like_json_are_shown_as_they_are(make_forum):
    for shape in ("bare", "keyed"):
        cached = make_forum(api__envelope=shape, **PLAIN)
        uncached = make_forum(api__envelope=shape, cache__pages_mb="0", **PLAIN)
        eve = cached.person(f"eve-{shape}")
        cached.change(eve.id, name=HOSTILE)
        node = cached.node(f"{shape} {HOSTILE}")
        topic = cached.topic(eve, node, TITLE, HOSTILE)
        eve.post(f"/topics/{topic}/replies", body=HOSTILE)
        paths = ("/topics", "/nodes", f"/topics/{topic}", f"/topics/{topic}/replies")
        for path in paths:
            first, second = cached.nobody.get(path), cached.nobody.get(path)
            if path == f"/topics/{topic}":
                one = content(second)
                assert (one["hits"], one["title"], one["body"]) == (2, TITLE, HOSTILE)
                continue
            assert first.body == second.body == uncached.nobody.get(path).body, path


def test_head_uses_the_cache_like_get(make_forum):
    forum = make_forum(**NO_FLUSH)
    alice = forum.person("alice")
    topic = forum.topic(alice, forum.node())
    for path in ("/topics", f"/topics/{topic}"):
        headed = forum.nobody.call("HEAD", path)
        got = forum.nobody.get(path)
        again = forum.nobody.call("HEAD", path)
        assert (headed.body, again.body) == (b"", b"")
        assert got.json
        sizes = {answer.headers["Content-Length"] for answer in (headed, got, again)}
        assert sizes == {str(len(got.body))}
    assert forum.nobody.get(f"/topics/{topic}").json["hits"] == 2


@pytest.mark.both_databases
def test_nothing_of_one_request_is_in_the_response_to_the_next(make_forum):
    forum = make_forum(http__cors_origins="https://a.example https://b.example")
    forum.topic(forum.person("alice"), forum.node())

    def read(**headers: str) -> Any:
        return forum.nobody.call("GET", "/topics", headers=headers).headers

    read(Origin="https://a.example", **{"X-Request-Id": "of-the-first"})
    second = read()
    assert "Access-Control-Allow-Origin" not in second
    assert second["X-Request-Id"] != "of-the-first"
    third = read(Origin="https://b.example")
    assert third["Access-Control-Allow-Origin"] == "https://b.example"
    assert third.getall("Vary") == second.getall("Vary") == ["Authorization", "Origin"]


TAGS = ('"', "W/", ", , ,", "*, *", '"caf\u00e9"', '\t"a" "b"', '"' * 4_001, ' "\\"' * 2_000)


@each("tags", TAGS)
def test_invalid_etags_match_nothing(forum, alice, topic, tags):
    for path in ("/topics", f"/topics/{topic}", "/users/alice"):
        for _ in range(2):
            read = forum.nobody.call("GET", path, headers={"If-None-Match": tags})
            assert read.status_int == 200
    form = {"title": "N", "node_id": topic, "body": "N"}
    edited = alice.call("DELETE", f"/topics/{topic}", form, headers={"If-Match": tags})
    assert edited.status_int == 412


def test_the_sizes_of_entries_are_counted_in_full(make_forum):
    forum = make_forum(cache__pages_mb="1")
    page_cache = forum.registry.page_cache
    for number in range(200):
        host = f"{number}.{'x' * 240}"
        answer = forum.nobody.call("GET", "/topics", headers={"Host": host})
        assert answer.status_int == 200
    entries = page_cache._entries
    sizes = sum(
        sys.getsizeof(part)
        for (key, (version, page, _)) in entries.items()
        for part in (*key, key, version, page, page.headers, page.body, *page.body, *page.headers)
    )
    assert sizes <= page_cache.used_bytes <= 1_000_000


def test_a_host_longer_than_any_name_is_refused(forum):
    for host, status in (("x" * 253, 200), ("x" * 100_000, 400)):
        answer = forum.nobody.call("GET", "/topics", headers={"Host": host})
        assert answer.status_int == status


TOPICS = cast(Table, Topic.__table__)
"""Written without the classes, which would change versions."""


@pytest.mark.both_databases
def test_a_topic_with_the_id_of_a_lost_one_has_another_etag(forum):
    """As when the database is restored from a backup."""
    alice, node = forum.person("alice"), forum.node()
    with forum.database.writes.begin() as db:
        for slot in range(9):
            invalidation.bump(db, {invalidation.TOPIC_LISTS, invalidation.DISPLAY_NAMES}, slot)
    topic = forum.topic(alice, node, "The lost one")
    tag = forum.nobody.get(f"/topics/{topic}").headers["ETag"]
    with forum.database.writes.begin() as db:
        db.execute(delete(TopicRead))
        db.execute(TOPICS.delete())
    again = forum.topic(alice, node, "Another")
    with forum.database.writes.begin() as db:
        db.execute(delete(TopicRead))
        db.execute(
            update(TOPICS).where(Topic.id == again).values(id=topic, version=TOPICS.c.version)
        )
    answer = forum.nobody.call("GET", f"/topics/{topic}", headers={"If-None-Match": tag})
    assert (answer.status_int, answer.json["title"]) == (200, "Another")


@pytest.mark.both_databases
def test_a_change_before_a_savepoint_invalidates_though_that_is_rolled_back(forum):
    topic = forum.topic(forum.person("alice"), forum.node())
    before = forum.nobody.get("/topics").headers["ETag"]
    with forum.database.session.begin() as db:
        db.execute(update(Topic).where(Topic.id == topic).values(title="Changed"))
        outer = db.begin_nested()
        with db.begin_nested():
            pass
        outer.rollback()
    after = forum.nobody.get("/topics")
    assert after.json[0]["title"] == "Changed"
    assert after.headers["ETag"] != before
