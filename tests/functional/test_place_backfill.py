"""After an upgrade people get places in the topics of before it, in small steps."""

import json
from typing import Any

import pytest
from sqlalchemy import delete, select

from forumsvc import clock
from forumsvc.background.job_runner import JobRunner
from forumsvc.background.place_backfiller import PlaceBackfiller
from forumsvc.dump import Archive, load_dump, write_dump
from forumsvc.models import Job, JobKind, TopicRead
from forumsvc.services.posts import place_backfill
from tests.functional.forum import Forum, Person

pytestmark = pytest.mark.both_databases


@pytest.fixture
def old(forum: Forum, alice: Person, bob: Person, node: int) -> dict[str, Any]:
    """A topic of alice with a reply of bob, which carol follows; nobody has a place."""
    carol = forum.person("carol")
    topic = forum.topic(alice, node)
    reply = forum.reply(bob, topic)
    carol.post(f"/topics/{topic}/follow")
    forget_places(forum)
    return {"topic": topic, "reply": reply, "people": [alice, bob, carol]}


def forget_places(forum: Forum) -> None:
    """Let the database be as before the upgrade, and have the places made."""
    with forum.database.session.begin() as db:
        db.execute(delete(TopicRead))
        place_backfill.enqueue(db, clock.now())


def work(forum: Forum) -> int:
    handler = PlaceBackfiller(forum.database)
    return JobRunner(forum.database, [handler], 1.0).run_due(JobKind.PLACES)


def state(person: Person, topic: int) -> tuple[int | None, int | None]:
    shown = person.get(f"/topics/{topic}", include="state").json["state"]
    return shown["last_read_reply_id"], shown["unread_count"]


def pairs(forum: Forum) -> list[tuple[int, int]]:
    with forum.database.reads.connect() as db:
        found = select(TopicRead.user_id, TopicRead.topic_id).order_by(TopicRead.id)
        return [(row.user_id, row.topic_id) for row in db.execute(found)]


def test_who_wrote_answered_or_followed_has_read_what_was_before_and_not_what_came_since(
    forum, old, chief
):
    forum.reply(chief, old["topic"])
    assert {state(person, old["topic"]) for person in old["people"]} == {(None, None)}
    work(forum)
    for person in old["people"]:
        assert state(person, old["topic"]) == (old["reply"], 1)
        assert [one["id"] for one in person.get("/topics", type="unread").json] == [old["topic"]]
    assert state(chief, old["topic"]) == (None, 1), "who answered since has read nothing"
    assert state(forum.person("stranger"), old["topic"]) == (None, None)
    assert forum.count(Job) == 0


def test_a_topic_without_replies_has_nothing_unread(forum, alice, topic):
    forget_places(forum)
    work(forum)
    assert state(alice, topic) == (None, 0)


def test_a_place_that_somebody_has_since_the_upgrade_stays(forum, old, bob):
    bob.post(f"/topics/{old['topic']}/read", reply_id=old["reply"])
    forum.reply(old["people"][0], old["topic"])
    bob.post(f"/topics/{old['topic']}/read")
    work(forum)
    assert state(bob, old["topic"])[1] == 0
    assert len(pairs(forum)) == 3


def test_a_deleted_person_gets_no_place(forum, old, bob):
    forum.change(bob.id, state="deleted")
    work(forum)
    assert bob.id not in {user_id for user_id, _ in pairs(forum)}


def test_a_run_that_was_killed_goes_on_where_it_was(forum, alice, bob, node, monkeypatch):
    monkeypatch.setattr(place_backfill, "_BATCH", 2)
    topics = [forum.topic(alice, node) for _ in range(5)]
    for topic in topics:
        forum.reply(bob, topic)
    forget_places(forum)
    insert, sizes = place_backfill._insert, []

    def die_in_the_third(*arguments: Any) -> None:
        insert(*arguments)
        sizes.append(len(arguments[1]))
        if len(sizes) == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr(place_backfill, "_insert", die_in_the_third)
    with pytest.raises(KeyboardInterrupt):
        work(forum)
    assert pairs(forum) == [(alice.id, topic) for topic in topics[:4]]
    later = clock.now() + PlaceBackfiller.lock
    monkeypatch.setattr(clock, "now", lambda: later)
    work(forum)
    places = [(person.id, topic) for person in (alice, bob) for topic in topics]
    assert sorted(pairs(forum)) == sorted(places)
    assert max(sizes) <= 2


@pytest.mark.parametrize("secrets", [False, True])
def test_a_dump_of_before_there_were_places_is_loaded_with_the_job(
    forum, old, target, tmp_path, secrets
):
    with forum.database.session.begin() as db:
        db.execute(delete(Job))
    write_dump(forum.database, tmp_path / "dump", secrets=secrets)
    manifest = tmp_path / "dump" / "manifest.json"
    written = json.loads(manifest.read_text())
    del written["tables"]["topic_reads"], written["sha256"]
    manifest.write_text(json.dumps(written))
    load_dump(target, Archive(tmp_path / "dump"))
    JobRunner(target, [PlaceBackfiller(target)], 1.0).run_due(JobKind.PLACES)
    with target.reads.connect() as db:
        places = db.execute(select(TopicRead.user_id, TopicRead.last_reply_id)).all()
    assert {tuple(row) for row in places} == {(one.id, old["reply"]) for one in old["people"]}


def test_a_backup_with_places_is_loaded_without_the_job(forum, old, target, tmp_path):
    work(forum)
    write_dump(forum.database, tmp_path / "dump", secrets=True)
    load_dump(target, Archive(tmp_path / "dump"), trust_html=True)
    with target.reads.connect() as db:
        assert db.scalars(select(Job.id).where(Job.kind == JobKind.PLACES)).all() == []
