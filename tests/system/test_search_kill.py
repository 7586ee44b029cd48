"""The search index is right after reindexing was killed while posts were written."""

import subprocess
import sys
from itertools import count

from sqlalchemy import update

from benchmarks.fill import Size, multiply
from forumsvc import clock
from forumsvc.background.search_indexer import SearchIndexer
from forumsvc.demo import load
from forumsvc.errors import Conflict
from forumsvc.markup import Renderer
from forumsvc.models import Reply, Topic
from forumsvc.services.search import index_check
from forumsvc.services.search.reindexing import reindex
from tests.functional.event_horizon import wait_for_horizon
from tests.functional.forum import Forum, Person, make_app
from tests.system.process import prepare_child, wait_until

KILLS = 20
SEED = 20_261_123
SIZE = Size(users=20, topics=200, replies=3_000)


def test_after_20_kills_of_a_reindex_and_writes_meanwhile_no_document_is_wrong(
    database_url, database, tmp_path
):
    load(database, renderer=Renderer(workers=0))
    multiply(database, SIZE)
    forum = Forum(make_app(database_url, tmp_path), database)
    author = forum.person("writer")
    topic = forum.topic(author, forum.node("Kept"))
    indexer = SearchIndexer(database)
    arguments = [database_url, str(KILLS), str(SEED)]
    program = [sys.executable, "-m", "tests.system.killed_reindex", *arguments]
    with subprocess.Popen(program, preexec_fn=prepare_child) as killing:
        for number in count():
            _write(forum, author, topic, number)
            if number % 10 == 0:
                indexer.run()
            if killing.poll() is not None:
                break
    assert killing.returncode == 0
    wait_until(lambda: _has_reindexed(forum), "the last killed run has ended on the server")
    wait_for_horizon(database)
    while indexer.run():
        pass
    with database.session.begin() as db:
        # So that none counts as late.
        for model in (Topic, Reply):
            db.execute(update(model).values(updated_at=clock.now().replace(year=2020)))
    checked = index_check.check(database)
    assert checked.wrong == []
    assert checked.checked > SIZE.topics + index_check.SAMPLE // 2
    found = forum.nobody.get("/search/replies", q=f"written{number}").json
    assert [one["topic_id"] for one in found] == [topic]


def _write(forum: Forum, author: Person, topic: int, number: int) -> None:
    reply = forum.reply(author, topic, f"first{number}")
    author.post(f"/replies/{reply}", body=f"written{number}")


def _has_reindexed(forum: Forum) -> bool:
    try:
        reindex(forum.database)
    except Conflict:
        return False
    return True
