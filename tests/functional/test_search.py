"""Searching topics and replies through the API."""

from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import update

from forumsvc import clock
from forumsvc.models import PendingReindex, Topic
from forumsvc.services.search_reindex import mark_pending, reindex
from tests.cases import each
from tests.functional.conftest import MakeForum
from tests.functional.forum import Forum, Person, content

pytestmark = pytest.mark.both_databases


def found(caller: Any, path: str = "topics", **parameters: Any) -> list[int]:
    """Return the ids that a search finds, in their order."""
    answer = caller.get(f"/search/{path}", **parameters)
    assert answer.status_int == 200, answer.text
    return [one["id"] for one in content(answer)]


def test_a_topic_is_found_by_its_title_its_opening_and_its_replies(
    forum: Forum, alice: Person, bob: Person, node: int
) -> None:
    by_title = forum.topic(alice, node, title="Deploying with Docker", body="How?")
    by_text = forum.topic(alice, node, title="Servers", body="I want to deploy something.")
    by_reply = forum.topic(alice, node, title="Questions", body="Ask here.")
    reply = forum.reply(bob, by_reply, "You can deploy it.")
    forum.topic(alice, node, title="Other", body="Unrelated.")
    reindex(forum.database)
    answer = forum.nobody.get("/search/topics", q="deploy")
    assert [one["id"] for one in answer.json] == [by_title, by_text, by_reply]
    assert [one["match"]["kind"] for one in answer.json] == ["title", "topic", "reply"]
    assert answer.json[2]["match"] == {
        "kind": "reply",
        "reply_id": reply,
        "title_html": "Questions",
        "excerpt_html": "You can <mark>deploy</mark> it.",
    }
    assert found(forum.nobody, "replies", q="deploy") == [reply]
    assert forum.nobody.get("/search/replies", q="deploy").json[0]["topic_title"] == "Questions"


def test_all_words_must_stand_in_one_post(forum: Forum, alice: Person, node: int) -> None:
    topic = forum.topic(alice, node, title="Red apples", body="Green pears")
    forum.reply(alice, topic, "Blue plums")
    reindex(forum.database)
    assert found(forum.nobody, q="apples pears") == [topic]
    assert found(forum.nobody, q="apples plums") == []
    assert found(forum.nobody, q="pears -plums") == [topic]
    assert found(forum.nobody, q="pears -apples") == []


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
        ("שָׁלוֹם עולם", "שלום"),
        ("We use node.js and C++", "node c++"),
    ],
)
def test_every_script_is_found(
    forum: Forum, alice: Person, node: int, text: str, query: str
) -> None:
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
    forum: Forum, alice: Person, node: int, text: str, finding: str, missing: str
) -> None:
    topic = forum.topic(alice, node, title="Text", body=text)
    reindex(forum.database)
    assert {found(forum.nobody, q=query) == [topic] for query in finding.split()} == {True}
    assert {found(forum.nobody, q=query) == [] for query in missing.split()} == {True}


def test_a_single_word_finds_what_begins_with_it_and_a_quoted_one_itself(
    forum: Forum, alice: Person, node: int
) -> None:
    longer = forum.topic(alice, node, title="A", body="deployments")
    exact = forum.topic(alice, node, title="B", body="deploy now")
    reindex(forum.database)
    assert set(found(forum.nobody, q="deploy")) == {longer, exact}
    assert found(forum.nobody, q='"deploy"') == [exact]
    assert found(forum.nobody, q="deploy now") == [exact]
    assert found(forum.nobody, q="depl* now") == [exact]


def test_a_phrase_stands_in_the_text_as_it_is_typed(forum: Forum, alice: Person, node: int) -> None:
    exact = forum.topic(alice, node, title="A", body="to be or not to be")
    forum.topic(alice, node, title="B", body="not this or that to be")
    across = forum.topic(alice, node, title="to be", body="or not")
    reindex(forum.database)
    assert set(found(forum.nobody, q='"be or not"')) == {exact, across}
    assert found(forum.nobody, q='or -"be or not"') == [across - 1]


def test_operators_and_parameters_narrow_a_search(
    forum: Forum, alice: Person, bob: Person, node: int
) -> None:
    other_node = forum.node("Ruby on Rails")
    mine = forum.topic(alice, node, title="Word", body="one")
    theirs = forum.topic(bob, other_node, title="Another", body="word two")
    reply = forum.reply(bob, mine, "word three")
    reindex(forum.database)
    assert found(forum.nobody, q=f"word node:{other_node}") == [theirs]
    assert found(forum.nobody, q='word node:"ruby on rails"') == [theirs]
    assert found(forum.nobody, q="word", node_id=node) == [mine]
    assert found(forum.nobody, q=f"word node:{node}", node_id=other_node) == [mine]
    assert found(forum.nobody, q="word", by="alice") == [mine]
    assert found(forum.nobody, q="word", by=str(bob.id), order="recent") == [mine, theirs]
    assert found(forum.nobody, "replies", q="@bob") == [reply]
    assert found(forum.nobody, q="word in:title") == [mine]
    assert found(forum.nobody, q="word", **{"in": "topics"}, order="recent") == [theirs, mine]
    assert found(forum.nobody, q="word", **{"in": "replies"}) == [mine]
    assert found(forum.nobody, q="word is:unanswered") == [theirs]
    assert found(forum.nobody, q="word", **{"is": "closed"}) == []


def test_a_time_is_that_of_the_post_that_is_found(forum: Forum, alice: Person, node: int) -> None:
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


def test_the_best_reply_of_a_topic_is_shown(
    forum: Forum, alice: Person, bob: Person, topic: int
) -> None:
    liked, newest = forum.reply(alice, topic, "a word"), forum.reply(alice, topic, "last word")
    bob.post("/likes", obj_type="reply", obj_id=liked)
    reindex(forum.database)
    assert forum.nobody.get("/search/topics", q="word").json[0]["match"]["reply_id"] == liked
    by_time = forum.nobody.get("/search/topics", q="word", order="recent")
    assert by_time.json[0]["match"]["reply_id"] == newest
    assert found(forum.nobody, "replies", q="word", order="likes") == [liked, newest]


def test_pages_follow_each_other_by_offset_and_have_links(
    forum: Forum, alice: Person, topic: int
) -> None:
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


def test_the_viewer_state_can_be_included(forum: Forum, alice: Person, topic: int) -> None:
    alice.post(f"/topics/{topic}/favorite")
    reindex(forum.database)
    [shown] = alice.get("/search/topics", q="title", include="state").json
    assert shown["state"]["favorited"] is True


def test_until_posts_are_indexed_a_search_says_so(forum: Forum, topic: int) -> None:
    with forum.database.session.begin() as db:
        mark_pending(db)
    answer = forum.nobody.get("/search/topics", q="title")
    assert (answer.status_int, answer.headers["Retry-After"]) == (503, "10")
    assert "being indexed" in answer.json["error"]
    reindex(forum.database)
    assert found(forum.nobody, q="title") == [topic]
    assert forum.count(PendingReindex) == 0


@each(
    ("parameters", "error"),
    [
        ({"q": " "}, "q: must not be empty"),
        ({"q": "x" * 201}, "q: must have at most 200 characters, and has 201"),
        ({"q": "node:Rubi"}, "q: there is no node 'Rubi'; put it in quotes"),
        ({"q": "@media css"}, "q: there is no user 'media'; put it in quotes"),
        ({"q": "a", "by": "nobody"}, "by: there is no user 'nobody'"),
        ({"q": "a", "since": "soon"}, "since: must be a date such as 2026-01-31, not 'soon'"),
        ({"q": "a", "since": "2026-99"}, "since: must be a date such as 2026-01-31, not '2026-99'"),
        ({"q": "a", "limit": "51"}, "limit: must be an integer from 1 to 50"),
        ({"q": "a", "order": "hot"}, "order: must be one of relevance, recent, likes"),
    ],
)
def test_wrong_parameters_are_named(forum: Forum, parameters: dict[str, str], error: str) -> None:
    answer = forum.nobody.get("/search/topics", **parameters)
    assert answer.status_int == 400
    assert error in answer.json["error"]


def test_an_unknown_node_is_not_found(forum: Forum) -> None:
    assert forum.nobody.get("/search/topics", q="a", node_id=99).status_int == 404


@pytest.mark.parametrize(
    ("open_to", "statuses"),
    [
        ("everyone", [200, 200, 200, 200]),
        ("members", [401, 200, 200, 200]),
        ("established", [401, 403, 200, 200]),
        ("off", [404, 404, 404, 404]),
    ],
)
def test_a_setting_says_who_may_search(
    make_forum: MakeForum, open_to: str, statuses: list[int]
) -> None:
    forum = make_forum(search__open_to=open_to, accounts__newbie_minutes="60")
    newbie = forum.person("newbie", age_days=0)
    callers = [forum.nobody, newbie, forum.person("old"), forum.person("m", role="maintainer")]
    assert [one.get("/search/topics", q="a").status_int for one in callers] == statuses
    assert [one.get("/search/users", q="a").status_int for one in callers] == statuses


def test_searches_are_limited_by_caller(make_forum: MakeForum) -> None:
    forum = make_forum(rate_limit__searches="2/minute")
    alice = forum.person("alice")
    assert [alice.get("/search/replies", q="a").status_int for _ in range(2)] == [200, 200]
    refused = alice.get("/search/topics", q="a")
    assert refused.status_int == 429
    assert 0 < int(refused.headers["Retry-After"]) <= 60
    assert forum.nobody.get("/search/topics", q="a").status_int == 200
    assert alice.get("/search/users", q="a").status_int == 429


def test_the_keyed_shape_says_what_was_understood(
    make_forum: MakeForum, alice: Person, topic: int
) -> None:
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


def test_excerpts_and_titles_are_escaped(forum: Forum, alice: Person, node: int) -> None:
    forum.topic(alice, node, title="A <b>word</b>", body="`<script>` & a word")
    reindex(forum.database)
    [shown] = forum.nobody.get("/search/topics", q="word").json
    assert shown["match"]["title_html"] == "A &lt;b&gt;<mark>word</mark>&lt;/b&gt;"
    assert shown["match"]["excerpt_html"] == "&lt;script&gt; &amp; a <mark>word</mark>"
