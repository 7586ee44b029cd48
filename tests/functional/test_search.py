"""Searching topics and replies through the API."""

from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import update

from forumsvc import clock
from forumsvc.models import PendingReindex, Topic
from forumsvc.services.accounts import accounts
from forumsvc.services.search.reindexing import mark_pending, reindex
from tests.databases import on_postgresql
from tests.functional.forum import content

pytestmark = pytest.mark.both_databases


def found(caller: Any, path: str = "topics", **parameters: Any) -> list[int]:
    """Return the ids that a search finds, in their order."""
    answer = caller.get(f"/search/{path}", **parameters)
    assert answer.status_int == 200, answer.text
    return [one["id"] for one in content(answer)]


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("中文搜索很重要", "搜索"),
        ("中文搜索很重要", "要"),
        ("中文搜索很重要", "文搜索很"),
        ("東京タワーの写真", "タワー"),
        ("한국어 검색 기능", "국어"),
        ("ภาษาไทยค้นหา", "ไทย"),
        ("Ein schönes Café", "cafe schones"),
        ("Привет, мир", "привет"),
        ("الكِتَاب لأحمد", "الكتاب لاحمد"),
        ("مدرسةٌ في مستشفى الإسكندرية", "مدرسه مستشفي الاسكندريه"),
        ("مدرسه علي الشاطئ", "مدرسة على"),
        ("کتاب‌های فارسی ۱۴۰۵", "كتابهاي فارسي 1405"),
        ("שָׁלוֹם עולם", "שלום"),
        ("We use node.js and C++", "node c++"),
    ],
)
def test_every_script_is_found(forum, alice, node, text, query):
    forum.topic(alice, node, title="Other", body="Nothing of this")
    topic = forum.topic(alice, node, title="Text", body=text)
    reindex(forum.database)
    assert found(forum.nobody, q=query) == [topic]


@pytest.mark.parametrize(
    ("text", "finding", "missing"),
    [
        (
            "See https://www.example.org/path, or mail.example.net",
            "example.org www.example example www.example.org www.example.o* examp*",
            "org.example www.org",
        ),
        ("v7.8.9 and python3.11", "7.8.9 v7.8.9 7.8 8.9 3.11 python3.11", "7.9 9.8"),
        ("In 7.8.9rc1, not release-2.0-beta", "7.8.9 v7.8.9 2.0 2.0-beta release-2.0", "7.8-9"),
        ("os.path.join_all(x)", "path.join_all os.path join_all path.jo*", "join.path os.join"),
        ("ping 192.168.17.254", "192.168 192.168.17 168.17.254 17.254", "192.17 192.168.1"),
        ("call `self.__init__` once", "__init__ self.__init__ init", "self_init"),
        ("Django's views, l\u2019amour, don't", "django django's amour l'amour don't dont", "t"),
        ("snake_case_name kebab-case-name", "case_name snake_case case-name", "snake-case"),
    ],
)
def test_a_joined_word_is_found_by_neighboring_parts_of_it(
    forum, alice, node, text, finding, missing
):
    topic = forum.topic(alice, node, title="Text", body=text)
    reindex(forum.database)
    assert {found(forum.nobody, q=query) == [topic] for query in finding.split()} == {True}
    assert {found(forum.nobody, q=query) == [] for query in missing.split()} == {True}


def test_a_time_is_that_of_the_post_that_is_found(forum, alice, node):
    old = forum.topic(alice, node, title="Old", body="word")
    new = forum.topic(alice, node, title="New", body="word")
    before = clock.now() - timedelta(days=400)
    with forum.database.session.begin() as db:
        db.execute(update(Topic).where(Topic.id == old).values(created_at=before))
    reply = forum.reply(alice, old, "word")
    reindex(forum.database)
    day = f"{clock.now() - timedelta(days=10):%Y-%m-%d}"
    assert set(found(forum.nobody, q="word", since=day)) == {new, old}
    assert found(forum.nobody, q=f"word in:topics after:{day}") == [new]
    assert found(forum.nobody, q=f"word before:{day}") == [old]
    assert found(forum.nobody, "replies", q="word", until=day) == []
    assert found(forum.nobody, "replies", q="word", since=day) == [reply]
    assert found(forum.nobody, q="word", since="9999-12-31") == []


def test_pages_follow_each_other_by_offset_and_have_links(forum, alice, topic):
    replies = [forum.reply(alice, topic, f"word {number}") for number in range(5)]
    reindex(forum.database)
    seen, offset = [], 0
    for _ in range(3):
        page = forum.nobody.get("/search/replies", q="word", limit=2, offset=offset, since="2020")
        seen += [one["id"] for one in page.json]
        offset += 2
        assert ('rel="next"' in page.headers["Link"]) is (offset < 5)
        assert ("since=2020" in page.headers["Link"]) is True
        assert "X-Total-Count" not in page.headers
    assert seen == replies[::-1]


def test_until_posts_are_indexed_a_search_says_so(forum, topic):
    with forum.database.session.begin() as db:
        mark_pending(db)
    answer = forum.nobody.get("/search/topics", q="title")
    assert (answer.status_int, answer.headers["Retry-After"]) == (503, "10")
    assert "being indexed" in answer.json["error"]
    reindex(forum.database)
    assert found(forum.nobody, q="title") == [topic]
    assert forum.count(PendingReindex) == 0


def test_the_keyed_shape_says_what_was_understood(make_forum, alice, topic):
    forum = make_forum(api__envelope="keyed")
    reindex(forum.database)
    shown = forum.nobody.get("/search/topics", q='"a title" by:alice in:title -x after:2020').json
    assert [one["id"] for one in shown["topics"]] == [topic]
    assert shown["topics"][0]["match"]["kind"] == "title"
    assert shown["meta"] == {
        "query": {
            "words": ["a", "title"],
            "phrases": ["a title"],
            "excluded": ["x"],
            "in": "title",
            "node_id": None,
            "user_id": alice.id,
            "since": "2020-01-01T00:00:00.000Z",
            "until": None,
            "is": [],
            "order": "relevance",
        }
    }
    assert "users" in forum.nobody.get("/search/users", q="ali").json


def test_deleted_users_are_not_found_and_their_names_are_gone(forum, bob):
    bob.put("/users/me", name="Robert")
    with forum.database.session.begin() as db:
        accounts.delete(db, bob.login)
    assert found(forum.nobody, "users", q="bob") == []
    assert found(forum.nobody, "users", q="robert") == []


def test_searches_of_users_count_as_searches(make_forum):
    forum = make_forum(rate_limit__searches="2/minute")
    paths = ("/api/v3/search/users?q=bob", "/search?q=bob&kind=users") * 2
    answers = [forum.app.get(path, status="*").status_int for path in paths]
    assert answers == [200, 200, 429, 429]


@on_postgresql
def test_a_search_whose_connection_is_lost_at_its_start_is_503(forum, monkeypatch):
    reads = forum.registry.search_reads
    monkeypatch.setattr(reads, "_begin", "SELECT pg_terminate_backend(pg_backend_pid())")
    assert forum.nobody.get("/search/users", q="bob").status_int == 503
