"""Texts of deleted posts, which are deleted for good some time afterwards."""

from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import select, text, update

from forumsvc import clock
from forumsvc.background.search_indexer import SearchIndexer
from forumsvc.db.statements import with_row_locks
from forumsvc.errors import Conflict
from forumsvc.models import Reply, ReplyWords, SweepAction, SweptPost, Topic
from forumsvc.queries import replies as reply_queries
from forumsvc.queries import topics as topic_queries
from forumsvc.services.posts import purge, replies, topics
from tests.functional.background_jobs import do_periodic_work
from tests.functional.conftest import MakeForum
from tests.functional.event_horizon import wait_for_horizon
from tests.functional.forum import Forum
from tests.functional.recounting import drift
from tests.functional.test_reports import only_review, report, resolve, told
from tests.functional.test_sweeps import order, visible, work

pytestmark = pytest.mark.both_databases


@pytest.fixture
def forum(make_forum: MakeForum) -> Forum:
    return make_forum(posts__purge_deleted_days="30")


def maintain(forum: Forum) -> None:
    do_periodic_work(forum)
    wait_for_horizon(forum.database)
    while SearchIndexer(forum.database).run():
        pass


def age(forum: Forum, days: int) -> None:
    """Let what is deleted have been deleted some days ago."""
    with forum.database.session.begin() as db:
        moment = clock.now() - timedelta(days=days)
        for table in ("topics", "replies"):
            old = text(f"UPDATE {table} SET deleted_at = :at WHERE deleted_at IS NOT NULL")  # noqa: S608
            db.execute(old.bindparams(at=str(moment) if forum.database.is_sqlite else moment))


def test_the_text_goes_after_the_days_and_the_post_stays_as_a_tombstone(forum, chief, alice, node):
    topic, gone = forum.topic(alice, node, body="Deep secret"), forum.topic(alice, node)
    reply, shown = forum.reply(alice, topic, "Xyzzy"), forum.reply(alice, topic, "Stays")
    alice.delete(f"/replies/{reply}")
    alice.delete(f"/topics/{gone}")
    age(forum, 29)
    maintain(forum)
    with forum.database.reads.connect() as db:
        assert db.scalars(select(Reply.body).order_by(Reply.id)).all() == ["Xyzzy", "Stays"]
    age(forum, 31)
    maintain(forum)
    with forum.database.reads.connect() as db:
        assert db.scalars(select(Reply.body).order_by(Reply.id)).all() == ["", "Stays"]
        assert db.scalars(select(Topic.body).where(Topic.id == gone)).one() == ""
        words = db.scalars(select(ReplyWords.words).where(ReplyWords.id == reply)).one()
    assert "xyzzy" not in words
    listed = chief.get(f"/topics/{topic}/replies")
    assert [one["id"] for one in listed.json] == [reply, shown]
    assert drift(forum.database) == []


def test_a_text_stays_whose_post_is_restored_and_deleted_anew_meanwhile(
    forum, alice, node, monkeypatch
):
    alice.delete(f"/replies/{forum.reply(alice, forum.topic(alice, node), 'Xyzzy')}")
    age(forum, 31)
    with forum.database.session.begin() as db:

        def lock(*arguments: Any) -> Any:
            db.execute(update(Reply).values(deleted_at=clock.now()))
            return with_row_locks(*arguments)

        monkeypatch.setattr(purge, "with_row_locks", lock)
        purge.purge_some(db, clock.now() - timedelta(days=30))
        assert db.scalars(select(Reply.body)).all() == ["Xyzzy"]


def test_a_purged_post_is_not_restored_and_the_reason_is_said(forum, alice, node):
    topic = forum.topic(alice, node)
    reply = forum.reply(alice, topic)
    alice.delete(f"/replies/{reply}")
    with forum.database.session.begin() as db:
        found = topic_queries.state(db, topic, lock=True)
        assert found is not None
        topics.destroy(db, None, clock.now(), found)
    age(forum, 31)
    maintain(forum)
    with forum.database.session.begin() as db:
        deleted = reply_queries.by_id(db, reply, lock=True)
        assert deleted is not None
        with pytest.raises(Conflict, match="deleted for good"):
            replies.restore(db, None, clock.now(), deleted)
        gone = topic_queries.state(db, topic, lock=True)
        assert gone is not None
        with pytest.raises(Conflict, match="deleted for good"):
            topics.restore(db, None, clock.now(), gone)


def test_the_reports_of_a_purged_reply_can_be_dismissed(make_forum):
    forum = make_forum(posts__purge_deleted_days="30", moderation__hide_after="2")
    chief = forum.person("chief", role="maintainer", scope="read write moderate")
    alice, bob, carol = (forum.person(one) for one in ("alice", "bob", "carol"))
    reply = forum.reply(alice, forum.topic(alice, forum.node()))
    for who in (bob, carol):
        report(who, "reply", reply)
    age(forum, 31)
    maintain(forum)
    dismissed = resolve(chief, only_review(chief)["id"], "dismiss", reason="Fine")
    assert dismissed.status_int == 200, dismissed.json
    assert chief.get("/reviews").json == []
    assert reply not in visible(forum)[1]
    assert told(bob) == [("report.dismissed", "Fine")]
    assert drift(forum.database) == []


def test_a_sweep_that_is_taken_back_leaves_purged_posts_alone(forum, alice, node):
    forum.reply(alice, forum.topic(alice, node))
    order(forum, alice, SweepAction.DELETE)
    work(forum)
    age(forum, 31)
    maintain(forum)
    order(forum, alice, SweepAction.RESTORE)
    work(forum)
    assert visible(forum) == (set(), set())
    assert forum.count(SweptPost) == 0
