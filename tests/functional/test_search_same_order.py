"""Both databases find the same posts in the same order: those that a search without an index finds.

The model reads every post. It has the words, the ranking and the limit of 200 in common with the
service, and neither the index nor SQL.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import insert

from forumsvc import clock
from forumsvc.models import Node, Reply, Topic, User
from forumsvc.queries import search_candidates
from forumsvc.queries.search_candidates import LIMIT
from forumsvc.search.matching import PhraseMatcher, WordMatcher, tokens_of
from forumsvc.search.query import Order, Query, State, Where, parse_query
from forumsvc.search.ranking import Found, rank_posts, rank_topics
from forumsvc.search.tokens import Term
from forumsvc.services.search.reindexing import reindex
from tests.functional.forum import Forum
from tests.functional.rows import complete, insert_rows
from tests.functional.search_corpus import NODES, USERS, Corpus, corpus, queries

pytestmark = pytest.mark.both_databases

HOUR = timedelta(hours=1)
PAGE = 50


class Model:
    """A search that looks at every post."""

    def __init__(self, posts: Corpus, users: dict[str, int], nodes: dict[str, int]) -> None:
        self._topics = {row["id"]: row for row in posts.topics}
        self._replies = posts.replies
        self._users, self._nodes = users, nodes
        self._titles = {row["id"]: tokens_of(row["title"]) for row in posts.topics}
        self._tokens = {
            row["id"]: tokens_of(row["body_html"][3:-4]) for row in [*posts.topics, *posts.replies]
        }

    def topics(self, query: Query, now: datetime) -> list[int]:
        """Return the ids of the topics that are found, the best first."""
        where = query.where or Where.ALL
        own: dict[int, Any] = {}
        if where != Where.REPLIES:
            if query.words:
                own |= self._newest(query, self._topics.values(), in_title=True)
            if where != Where.TITLE or not query.words:
                own |= self._newest(query, self._topics.values())
        replies = {}
        if where in (Where.ALL, Where.REPLIES):
            replies = self._newest(query, self._replies)
        posts = [self._found(query, row, None) for row in own.values()]
        posts += [self._found(query, self._topic(row), row) for row in replies.values()]
        order = query.order or Order.RELEVANCE
        kept = self._kept(query, posts, order, now)
        return [post.topic_id for post in rank_topics(kept, order, now)]

    def replies(self, query: Query, now: datetime) -> list[int]:
        """Return the ids of the replies that are found, the best first."""
        rows = self._newest(query, self._replies).values()
        posts = [self._found(query, self._topic(row), row, likes_of_reply=True) for row in rows]
        order = query.order or Order.RELEVANCE
        kept = self._kept(query, posts, order, now)
        return [post.reply_id or 0 for post in rank_posts(kept, order, now)]

    def _newest(
        self, query: Query, rows: Iterable[dict[str, Any]], *, in_title: bool = False
    ) -> dict[int, dict[str, Any]]:
        found = [
            row for row in rows if self._is_near(query, row) and self._has(query, row, in_title)
        ]
        newest = sorted(found, key=lambda row: -int(row["id"]))[:LIMIT]
        return {row["id"]: row for row in newest}

    def _is_near(self, query: Query, row: dict[str, Any]) -> bool:
        at = row["created_at"]
        return (query.since is None or at >= query.since - HOUR) and (
            query.until is None or at < query.until + HOUR
        )

    def _has(self, query: Query, row: dict[str, Any], in_title: bool) -> bool:
        title = self._titles.get(row["id"], frozenset())
        words = self._tokens[row["id"]] | title
        if query.by is not None and row["user_id"] != self._users[query.by]:
            return False
        if query.node is not None and self._topic(row)["node_id"] != self._nodes[query.node]:
            return False
        is_there = WordMatcher(query.words).has_all(title if in_title else words)
        return is_there and not any(_has_term(term, words) for term in query.excluded)

    def _topic(self, row: dict[str, Any]) -> dict[str, Any]:
        return self._topics[row.get("topic_id", row["id"])]

    def _found(
        self,
        query: Query,
        topic: dict[str, Any],
        reply: dict[str, Any] | None,
        *,
        likes_of_reply: bool = False,
    ) -> Found:
        post, matcher = reply or topic, WordMatcher(query.words)
        title = self._titles[topic["id"]]
        return Found(
            topic["id"],
            None if reply is None else reply["id"],
            post["likes_count"],
            post["created_at"],
            bool(query.words) and matcher.has_all(title),
            matcher.has_any(title),
            topic["excellent_at"] is not None,
            post["likes_count"] if likes_of_reply else topic["likes_count"],
            topic["replies_count"],
        )

    def _kept(
        self, query: Query, posts: Sequence[Found], order: Order, now: datetime
    ) -> list[Found]:
        """Return the posts of the states, the time and the phrases of the query."""
        texts = {row["id"]: row["body_html"][3:-4] for row in self._replies}
        for row in self._topics.values():
            texts[row["id"]] = f"{row['title']}\n{row['body_html'][3:-4]}"
        phrases = PhraseMatcher(query.phrases, query.excluded_phrases)
        ranked = rank_posts([*posts], order, now)
        return [
            post
            for post in ranked
            if all(_is(state, self._topics[post.topic_id]) for state in query.states)
            and (query.since is None or post.created_at >= query.since)
            and (query.until is None or post.created_at < query.until)
            and phrases.matches(texts[post.reply_id or post.topic_id])
        ]


def _has_term(term: Term, words: frozenset[str]) -> bool:
    return all(
        any(word.startswith(part) for word in words) if is_prefix else part in words
        for part, is_prefix in term.parts()
    )


def _is(state: State, topic: dict[str, Any]) -> bool:
    return {
        State.OPEN: topic["closed_at"] is None,
        State.CLOSED: topic["closed_at"] is not None,
        State.EXCELLENT: topic["excellent_at"] is not None,
        State.UNANSWERED: topic["replies_count"] == 0,
    }[state]


@pytest.fixture
def model(forum: Forum) -> Model:
    with forum.database.session.begin() as db:
        user_ids = insert_rows(db, User, [{"login": one} for one in USERS])
        node_ids = insert_rows(db, Node, [{"name": one} for one in NODES])
        users = dict(zip(USERS, user_ids, strict=True))
        nodes = dict(zip(NODES, node_ids, strict=True))
        posts = corpus([*users.values()], [*nodes.values()])
        db.execute(insert(Topic), [complete(Topic, row) for row in posts.topics])
        db.execute(insert(Reply), [complete(Reply, row) for row in posts.replies])
    reindex(forum.database)
    return Model(posts, users, nodes)


@pytest.mark.parametrize("look", [5_000, 60])
def test_200_queries_over_2000_posts_in_seven_languages_find_what_the_model_finds(
    forum, model, monkeypatch, look
):
    # With 60 PostgreSQL has to walk on and to ask its index, as in a large forum.
    monkeypatch.setattr(search_candidates, "_LOOK", look)
    asked, found = queries(), 0
    for text in asked:
        query = parse_query(text)
        now = clock.now()
        topics = forum.nobody.get("/search/topics", q=text, limit=PAGE)
        assert [one["id"] for one in topics.json] == model.topics(query, now)[:PAGE], text
        replies = forum.nobody.get("/search/replies", q=text, limit=PAGE)
        assert [one["id"] for one in replies.json] == model.replies(query, now)[:PAGE], text
        found += bool(topics.json)
    assert len(asked) == 200
    assert found > 120
