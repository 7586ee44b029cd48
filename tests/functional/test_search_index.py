"""The search index: kept up to date by the background worker, made anew and checked by commands."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import delete, insert, select, text, update
from sqlalchemy.orm import Session

from forumsvc import clock
from forumsvc.background.job_runner import JobRunner
from forumsvc.background.search_indexer import SearchIndexer, TopicIndexer
from forumsvc.db.engine import Database
from forumsvc.markup import Renderer
from forumsvc.models import Event, Job, JobKind, Reply, ReplyWords, Topic, TopicRead, TopicWords
from forumsvc.queries import search_documents
from forumsvc.search.tokens import tokens
from forumsvc.services.posts import nodes
from forumsvc.services.posts.rerendering import Rerendering
from forumsvc.services.search import index_check, indexing, reindexing
from forumsvc.services.search.reindexing import reindex
from forumsvc.text.ids import MAX_ID
from tests import databases
from tests.functional.event_horizon import wait_for_horizon
from tests.functional.forum import Caller, Forum, content
from tests.functional.rows import complete
from tests.functional.statements import of_search

pytestmark = pytest.mark.both_databases


def found(caller: Caller, path: str = "topics", **parameters: Any) -> list[int]:
    answer = caller.get(f"/search/{path}", **parameters)
    assert answer.status_int == 200, answer.text
    return [one["id"] for one in content(answer)]


def work(database: Database) -> int:
    """Let the indexer do all there is to do; return in how many runs."""
    wait_for_horizon(database)
    indexer, runs = SearchIndexer(database), 1
    while indexer.run():
        runs += 1
    topics = JobRunner(database, [TopicIndexer(database)], 1)
    return runs + topics.run_due(JobKind.INDEX_TOPIC)


def words_of(database: Database, model: type[TopicWords | ReplyWords], post_id: int) -> str:
    with database.reads.connect() as db:
        words: Any = select(model.words).where(model.id == post_id)
        return str(db.execute(words).scalar_one())


def test_names_of_an_older_normal_form_are_found_after_a_reindex(forum, alice):
    forum.change(alice.id, name="ليلى", name_key="ليلى")
    assert found(forum.nobody, "users", q="ليلي") == []
    reindex(forum.database)
    assert found(forum.nobody, "users", q="ليلي") == [alice.id]


def test_what_is_written_and_edited_is_found_once_the_worker_has_run(forum, alice, node):
    topic = forum.topic(alice, node, title="First title", body="one")
    reply = forum.reply(alice, topic, "two")
    assert found(forum.nobody, q="first") == []
    work(forum.database)
    assert found(forum.nobody, q="first") == [topic]
    assert found(forum.nobody, "replies", q="two") == [reply]
    alice.put(f"/topics/{topic}", title="Second title", node_id=node, body="three")
    alice.post(f"/replies/{reply}", body="four")
    work(forum.database)
    assert (found(forum.nobody, q="first"), found(forum.nobody, q="second three")) == ([], [topic])
    assert found(forum.nobody, "replies", q="two") == []
    assert found(forum.nobody, "replies", q="four") == [reply]
    assert index_check.check(forum.database).wrong == []


def test_a_moved_topic_takes_its_replies_along_in_parts(forum, alice, node, monkeypatch):
    monkeypatch.setattr(indexing, "BATCH_SIZE", 2)
    topic = forum.topic(alice, node, body="word")
    replies = [forum.reply(alice, topic, "word") for _ in range(5)]
    work(forum.database)
    new_node = forum.node("New")
    alice.put(f"/topics/{topic}", title="A title", node_id=new_node, body="word")
    assert work(forum.database) >= 3
    assert forum.count(Job) == 0
    for caller, expected in ((node, []), (new_node, replies[::-1])):
        assert found(forum.nobody, "replies", q="word", node_id=caller) == expected
    assert "@n" in words_of(forum.database, TopicWords, topic)
    assert index_check.check(forum.database).wrong == []


def test_no_transaction_is_open_while_tokens_are_made_and_none_writes_many_bytes(
    forum, alice, topic, monkeypatch
):
    for number in range(5):
        forum.reply(alice, topic, f"word{number} and some more")
    wait_for_horizon(forum.database)
    sessions: list[bool] = []
    written: list[int] = []

    def make(text: str) -> list[str]:
        sessions.append(forum.database.writes.pool.checkedout() > 0)
        return tokens(text)

    def write(db: Session, words: Any, documents: Sequence[Any]) -> None:
        written.append(len(documents))
        original(db, words, documents)

    original = indexing._write
    monkeypatch.setattr(indexing, "tokens", make)
    monkeypatch.setattr(indexing, "_write", write)
    monkeypatch.setattr(indexing, "_MOST_BYTES", {"sqlite": 80, "postgresql": 80})
    work(forum.database)
    assert len(sessions) >= 6
    assert not any(sessions)
    assert len(written) >= 4
    assert max(written) <= 2
    assert index_check.check(forum.database).wrong == []


def test_a_post_that_is_edited_while_its_tokens_are_made_has_those_of_the_new_text(
    forum, alice, topic, monkeypatch
):
    reply = forum.reply(alice, topic, "before")
    edits = iter(["after"])

    def make(text: str) -> list[str]:
        for body in edits:
            alice.post(f"/replies/{reply}", body=body)
        return tokens(text)

    monkeypatch.setattr(indexing, "tokens", make)
    indexing.index(forum.database, ReplyWords, [reply])
    assert words_of(forum.database, ReplyWords, reply).count("after") == 1


def test_a_post_whose_tokens_are_too_many_for_the_index_has_the_first_of_them(forum, alice, node):
    # Words of ligatures that stand for four letters each, with all their parts.
    ligatures = "\ufdf2\ufdf3\ufdf4\ufdf6\ufdf7\ufdf8"
    words = [
        f"{''.join(ligatures[number // 6**at % 6] for at in range(7))}.{number}#"
        for number in range(6_500)
    ]
    forum.topic(alice, node, title="Poison", body=" ".join(["beginning", *words])[:65_000])
    innocent = forum.topic(alice, node, title="Innocent")
    work(forum.database)
    assert found(forum.nobody, q="innocent") == [innocent]
    assert len(found(forum.nobody, q="beginning poison")) == 1
    assert index_check.check(forum.database).wrong == []


def test_hidden_posts_take_no_places_of_those_that_are_shown(forum, alice, node):
    shown = forum.topic(alice, node, title="Nginx", body="nginx")
    reply = forum.reply(alice, shown, "nginx")
    reindex(forum.database)
    alone = _costs(forum)
    moment = clock.now()
    topics = _many(Topic, 2_000, user_id=alice.id, node_id=node, title="nginx", deleted_at=moment)
    replies = _many(Reply, 2_000, user_id=alice.id, topic_id=shown, deleted_at=moment)
    with forum.database.session.begin() as db:
        db.execute(insert(Topic), topics)
        db.execute(insert(Reply), replies)
    reindex(forum.database)
    assert _costs(forum) == alone
    assert found(forum.nobody, q="nginx") == [shown]
    assert found(forum.nobody, "replies", q="nginx") == [reply]
    assert index_check.check(forum.database).wrong == []


def _costs(forum: Forum) -> list[int]:
    """Return how many statements a search for topics takes, and one for replies."""
    paths = ("/search/topics", "/search/replies")
    return [len(of_search(forum, forum.nobody, path, "nginx")) for path in paths]


def _many(model: Any, number: int, **values: Any) -> list[dict[str, Any]]:
    row = {**complete(model, values), "body_html": "<p>nginx</p>"}
    return [{**row, "id": 10_000_000 + at} for at in range(number)]


def test_what_is_hidden_is_marked_in_the_index_until_it_is_shown_again(forum, alice, node):
    admin = forum.person("root", role="admin")
    topic = forum.topic(alice, node, body="word")
    replies = [forum.reply(alice, topic, "word") for _ in range(2)]

    def hidden() -> list[bool]:
        work(forum.database)
        documents = [words_of(forum.database, ReplyWords, one) for one in replies]
        documents.append(words_of(forum.database, TopicWords, topic))
        assert index_check.check(forum.database).wrong == []
        return ["@hidden" in one for one in documents]

    assert hidden() == [False, False, False]
    alice.delete(f"/replies/{replies[0]}")
    assert hidden() == [True, False, False]
    admin.post(f"/topics/{topic}/action", type="ban")
    assert hidden() == [True, True, True]
    admin.post(f"/topics/{topic}/action", type="unban")
    assert hidden() == [True, False, False]
    alice.delete(f"/topics/{topic}")
    assert hidden() == [True, True, True]


def test_the_topics_of_a_deleted_node_are_indexed_under_the_new_one(forum, alice, node):
    topic = forum.topic(alice, node, body="word")
    reply = forum.reply(alice, topic, "word")
    work(forum.database)
    new_node = forum.node("New")
    with forum.database.session.begin() as db:
        nodes.delete(db, None, clock.now(), node, move_to=new_node)
    work(forum.database)
    assert found(forum.nobody, q="word", node_id=new_node) == [topic]
    assert found(forum.nobody, "replies", q="word", node_id=new_node) == [reply]


def test_rendering_again_indexes_again(forum, alice, topic):
    work(forum.database)
    with forum.database.session.begin() as db:
        outdated = update(Topic).where(Topic.id == topic)
        db.execute(outdated.values(markup_version=0, body_html="<p>stale</p>"))
        indexing.index_now(db, TopicWords, [topic])
    authoring = replace(forum.registry.authoring, renderer=Renderer(workers=0))
    Rerendering(forum.database, authoring, 1).run()
    assert found(forum.nobody, q="stale") == []
    assert found(forum.nobody, q="body") == [topic]


def test_reindexing_finds_what_is_missing_and_outdated_and_nothing_else(forum, alice, topic):
    replies = [forum.reply(alice, topic, f"word {number}") for number in range(5)]
    assert reindex(forum.database) == reindexing.Reindexed(topics=1, replies=5)
    assert reindex(forum.database) == reindexing.Reindexed(topics=0, replies=0)
    with forum.database.session.begin() as db:
        db.execute(delete(ReplyWords).where(ReplyWords.id == replies[0]))
        db.execute(update(ReplyWords).where(ReplyWords.id == replies[1]).values(version=0))
    with forum.database.reads.connect() as reads:
        counted = search_documents.count(reads, ReplyWords)
    assert counted == search_documents.Documents(indexed=3, outdated=1, missing=1)
    assert reindex(forum.database) == reindexing.Reindexed(topics=0, replies=2)


def test_reindexing_from_scratch_mends_a_damaged_index(forum, alice, topic, monkeypatch):
    monkeypatch.setattr(index_check, "LATE", -index_check.LATE)
    reindex(forum.database)
    _damage(forum.database, topic)
    assert index_check.check(forum.database).wrong != []
    reindex(forum.database, from_scratch=True)
    assert index_check.check(forum.database).wrong == []
    assert found(forum.nobody, q="title") == [topic]
    with forum.database.reads.connect() as db:
        assert search_documents.is_complete(db)
        if not forum.database.is_sqlite:
            gin = text("SELECT count(*) FROM pg_indexes WHERE indexdef LIKE '%USING gin%'")
            assert db.scalar(gin) == 2


def _damage(database: Database, topic: int) -> None:
    with database.writes.begin() as db:
        if database.is_sqlite:
            # The index has other words than its table.
            db.execute(text("INSERT INTO topic_words_fts(rowid, words) VALUES (77, 'lost')"))
        else:
            db.execute(text("UPDATE topic_words SET words = 'lost' WHERE id = :id"), {"id": topic})


def test_a_check_finds_each_kind_of_fault_and_mends_it(forum, alice, topic, monkeypatch):
    monkeypatch.setattr(index_check, "LATE", -index_check.LATE)
    replies = [forum.reply(alice, topic, f"word {number}") for number in range(3)]
    reindex(forum.database)
    assert index_check.check(forum.database) == index_check.Checked(4, [])
    lost = {"words": text("'lost'") if forum.database.is_sqlite else text("'lost'::tsvector")}
    with forum.database.session.begin() as db:
        db.execute(delete(ReplyWords).where(ReplyWords.id == replies[0]))
        db.execute(update(ReplyWords).where(ReplyWords.id == replies[1]).values(lost))
        db.execute(insert(ReplyWords).values(id=1_000, version=1, created_at=clock.now(), **lost))
    wrong = {one.what: list(one.ids) for one in index_check.check(forum.database).wrong}
    assert wrong == {
        "not indexed": [replies[0]],
        "of no post": [1_000],
        "with other words": [replies[1]],
    }
    assert index_check.fix(forum.database, index_check.check(forum.database)) == 3
    assert index_check.check(forum.database).wrong == []


def test_a_post_that_was_written_just_now_is_late_and_not_wrong(forum, topic):
    assert index_check.check(forum.database).wrong == []
    reindex(forum.database)
    with forum.database.session.begin() as db:
        db.execute(update(Topic).where(Topic.id == topic).values(title="Just changed"))
    assert index_check.check(forum.database).wrong == []


def test_a_post_that_was_hidden_just_now_is_late_and_not_wrong(forum, chief, alice, topic):
    replies = [forum.reply(alice, topic, "word") for _ in range(2)]
    work(forum.database)
    old = {"created_at": clock.now() - timedelta(hours=1)}
    with forum.database.session.begin() as db:
        for model in (Topic, Reply):
            db.execute(update(model).values(updated_at=old["created_at"]))
        db.execute(update(Event).values(old))
    alice.delete(f"/replies/{replies[0]}")
    assert index_check.check(forum.database).wrong == []
    chief.post(f"/topics/{topic}/action", type="ban")
    assert index_check.check(forum.database).wrong == []
    with forum.database.session.begin() as db:
        db.execute(update(Event).values(old))
    wrong = {one.words: [*one.ids] for one in index_check.check(forum.database).wrong}
    assert wrong == {TopicWords: [topic], ReplyWords: replies}


def test_a_reindex_passes_over_ids_that_nobody_has(forum, alice, node, request):
    request.addfinalizer(lambda: databases.restart_ids(forum.database))
    topic = forum.topic(alice, node, title="Early")
    with forum.database.session.begin() as db:
        db.execute(delete(TopicRead))
        db.execute(update(Topic).where(Topic.id == topic).values(id=MAX_ID))
        db.execute(delete(TopicWords))
    with forum.database.reads.connect() as reads:
        [missing] = index_check.missing(reads, TopicWords, clock.now())
    assert missing.ids == [MAX_ID]
    assert reindex(forum.database).topics == 1
    assert found(forum.nobody, q="early") == [MAX_ID]
