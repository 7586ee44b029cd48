"""Drafts: of two devices one wins, how many are kept, and for how long."""

from datetime import timedelta
from functools import partial

import pytest
from sqlalchemy import update

from forumsvc import clock
from forumsvc.models import Draft, Event, PendingReindex
from forumsvc.services.posts import drafts
from forumsvc.services.search.reindexing import reindex
from tests.functional.background_jobs import do_periodic_work
from tests.functional.forum import Person
from tests.functional.test_data_export import exported
from tests.functional.threads import alone, statuses, together

pytestmark = pytest.mark.both_databases


def keys(person: Person) -> list[str]:
    return [one["key"] for one in person.get("/drafts?limit=150").json]


def test_of_six_devices_that_change_the_same_draft_one_wins(forum, alice):
    etag = alice.put("/drafts/a", body="Begun").headers["ETag"]
    assert alice.get("/drafts/a").headers["ETag"].partition(".")[0] == etag.partition(".")[0]
    devices = [alone(forum, alice) for _ in range(6)]
    saves = [
        partial(one.call, "PUT", "/drafts/a", {"body": f"{number}"}, headers={"If-Match": etag})
        for number, one in enumerate(devices)
    ]
    answers = together(saves)
    assert statuses(answers) == {200: 1, 412: 5}
    [winner] = [one.json["body"] for one in answers if one.status_int == 200]
    assert alice.get("/drafts/a").json["body"] == winner


def test_six_devices_that_begin_the_same_draft_make_one(forum, alice):
    devices = [alone(forum, alice) for _ in range(6)]
    answers = together([partial(one.call, "PUT", "/drafts/a", {"body": "B"}) for one in devices])
    assert statuses(answers) == {200: 5, 201: 1}
    assert forum.count(Draft) == 1


def test_a_draft_that_became_a_post_is_not_saved_again_by_another_device(alice, topic):
    etag = alice.put("/drafts/a", body="Begun").headers["ETag"]
    alice.post(f"/topics/{topic}/replies", body="Done", draft="a")
    late = {"If-Match": etag}
    assert alice.call("PUT", "/drafts/a", {"body": "Late"}, headers=late).status_int == 412
    assert alice.call("DELETE", "/drafts/a", headers=late).status_int in (404, 412)
    assert keys(alice) == []


@pytest.mark.parametrize("method", ["PUT", "PATCH", "POST"])
def test_an_edit_deletes_its_draft_and_a_refused_one_leaves_it(alice, topic, method):
    reply = alice.post(f"/topics/{topic}/replies", body="First").json["id"]
    node = alice.get(f"/topics/{topic}").json["node_id"]
    text = {"title": "Title", "node_id": node, "body": "Edited", "draft": "a"}
    for path in (f"/topics/{topic}", f"/replies/{reply}"):
        alice.put("/drafts/a", body="Begun")
        assert alice.call(method, path, {**text, "body": " "}).status_int == 400
        assert keys(alice) == ["a"]
        assert alice.call(method, path, text).status_int == 200
        assert keys(alice) == []


def test_a_replay_of_a_post_deletes_no_later_draft(alice, topic):
    path, once = f"/topics/{topic}/replies", {"Idempotency-Key": "one"}
    for expected in ([], ["a"]):
        answer = alice.call("POST", path, {"body": "B", "draft": "a"}, headers=once)
        assert answer.status_int == 201
        assert keys(alice) == expected
        alice.put("/drafts/a", body="Another")


@pytest.mark.usefixtures("advancing_clock")
def test_a_further_draft_takes_the_place_of_the_one_changed_longest_ago(alice, bob):
    bob.put("/drafts/0", body="His")
    for number in range(drafts.MOST):
        alice.put(f"/drafts/{number}", body="B")
    alice.put("/drafts/0", body="Changed")
    alice.put("/drafts/new", body="B")
    assert keys(alice) == ["new", "0", *(f"{number}" for number in range(drafts.MOST - 1, 1, -1))]
    assert keys(bob) == ["0"]


def test_a_new_draft_stays_where_the_clock_of_this_host_is_behind(forum, alice):
    for number in range(drafts.MOST):
        alice.put(f"/drafts/{number}", body="B")
    with forum.database.session.begin() as db:
        db.execute(update(Draft).values(updated_at=clock.now() + timedelta(minutes=1)))
    assert alice.put("/drafts/new", body="B").status_int == 201
    assert "new" in keys(alice)
    assert forum.count(Draft) == drafts.MOST


def test_drafts_that_nobody_changes_are_deleted(forum, alice):
    alice.put("/drafts/old", body="B")
    alice.put("/drafts/new", body="B")
    with forum.database.session.begin() as db:
        before = clock.now() - drafts.KEEP - timedelta(minutes=1)
        db.execute(update(Draft).where(Draft.key == "old").values(updated_at=before))
    do_periodic_work(forum)
    assert keys(alice) == ["new"]


def test_a_draft_notifies_nobody_and_is_told_to_nobody(forum, alice, bob):
    before = forum.count(Event)
    alice.put("/drafts/a", title="Secret", body="@bob secretly")
    assert forum.count(Event) == before
    assert forum.count(PendingReindex) == 0
    assert bob.get("/notifications").json == []


def test_a_draft_is_in_nothing_that_others_get(forum):
    alice, bob = forum.person("alice"), forum.person("bob")
    root = forum.person("root", role="admin", scope="read write moderate admin")
    node = forum.node()
    topic = forum.topic(alice, node)
    fields = {"title": "Zebrafish", "body": "Zebrafish 555 @bob", "node_id": node}
    for key in ("topic-new", f"reply-{topic}"):
        assert alice.put(f"/drafts/{key}", **fields).status_int == 201
    reindex(forum.database)
    for who in (bob, root, forum.nobody):
        for path in ("/drafts/topic-new", f"/drafts/reply-{topic}"):
            assert who.get(path).status_int in (401, 404)
        for path in (f"/topics/{topic}", "/topics", f"/topics/{topic}/replies", "/users/alice"):
            assert "Zebrafish" not in who.get(path).text
        for path in ("/search/topics", "/search/replies"):
            assert who.get(path, q="Zebrafish").json == []
    for path in ("/events?limit=150", "/moderation/log", "/notifications", "/drafts"):
        assert "Zebrafish" not in root.get(path).text
        assert "Zebrafish" not in bob.get(path).text
    for path in ("/", "/topics", f"/topics/{topic}", "/alice", "/topics/feed.xml"):
        # The second one is of the cache of pages.
        assert all("Zebrafish" not in forum.app.get(path).text for _ in range(2))
    files = exported(forum, bob)
    assert not any(b"Zebrafish" in files.read(name) for name in files.namelist())
