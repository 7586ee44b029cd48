"""Reviews go some time after their decision, with what belongs to them."""

from datetime import timedelta

import pytest
from sqlalchemy import update

from forumsvc import clock
from forumsvc.background.maintenance import delete_all_expired
from forumsvc.models import HeldPost, Report, Restriction, Review
from forumsvc.services.moderation import reviews
from tests.functional.background_jobs import periodic_works
from tests.functional.conftest import MakeForum
from tests.functional.forum import Forum, Person, content
from tests.functional.test_held_posts import hold_topic
from tests.functional.test_reports import only_review, report, resolve, wrong_counters

KEPT_DAYS = 30


@pytest.fixture
def forum(make_forum: MakeForum) -> Forum:
    """A forum that holds posts with a word, and keeps reviews for a month."""
    return make_forum(moderation__keep_reviews_days=str(KEPT_DAYS), posts__held_words="casino")


def make_old(forum: Forum, days: int, *review_ids: int) -> None:
    moment = clock.now() - timedelta(days=days)
    with forum.database.session.begin() as db:
        db.execute(update(Review).where(Review.id.in_(review_ids)).values(resolved_at=moment))


def purge(forum: Forum) -> None:
    delete_all_expired(forum.database, forum.registry.forum_settings)


def decide_on_report(chief: Person, reporter: Person, topic: int) -> int:
    """Have a topic reported, and dismiss that; return the id of the review."""
    assert report(reporter, "topic", topic).status_int == 201
    review_id: int = only_review(chief)["id"]
    assert resolve(chief, review_id, "dismiss").status_int == 200
    return review_id


@pytest.mark.both_databases
def test_a_decided_review_goes_with_its_reports_and_held_post(forum, chief, alice, bob, topic):
    reported = decide_on_report(chief, bob, topic)
    held = hold_topic(bob, forum.node("Held"), body="A casino")
    assert bob.delete(f"/held/{held}").status_int == 200
    [withdrawn] = content(chief.get("/reviews", state="resolved", kind="held"))
    ids = (reported, withdrawn["id"])
    make_old(forum, KEPT_DAYS - 1, *ids)
    purge(forum)
    assert [chief.get(f"/reviews/{one}").status_int for one in ids] == [200, 200]
    make_old(forum, KEPT_DAYS + 1, *ids)
    purge(forum)
    assert [chief.get(f"/reviews/{one}").status_int for one in ids] == [404, 404]
    assert [forum.count(model) for model in (Review, Report, HeldPost)] == [0, 0, 0]
    purge(forum)
    assert wrong_counters(forum) == []
    assert report(bob, "topic", topic).status_int == 201


def test_what_waits_for_a_moderator_stays_however_old_it_is(forum, chief, alice, bob, topic):
    assert report(bob, "topic", topic).status_int == 201
    hold_topic(bob, forum.node("Held"), body="A casino")
    long_ago = clock.now() - timedelta(days=10 * KEPT_DAYS)
    with forum.database.session.begin() as db:
        db.execute(update(Review).values(opened_at=long_ago))
        db.execute(update(HeldPost).values(created_at=long_ago))
    purge(forum)
    assert [forum.count(model) for model in (Review, Report, HeldPost)] == [2, 1, 1]
    for review in content(chief.get("/reviews")):
        assert chief.get(f"/reviews/{review['id']}").status_int == 200


def test_a_silence_outlives_the_review_that_it_came_from(forum, chief, alice, bob, topic):
    report(bob, "topic", topic)
    review_id = only_review(chief)["id"]
    resolve(chief, review_id, "hide", reason="Advertising", silence_days=7)
    make_old(forum, KEPT_DAYS + 1, review_id)
    purge(forum)
    assert (forum.count(Review), forum.count(Restriction)) == (0, 1)
    [silence] = content(chief.get("/users/alice/restrictions"))
    assert silence["reason"] == "Advertising"


@pytest.mark.both_databases
def test_the_worker_deletes_reviews_in_batches_and_goes_on_until_none_is_left(
    forum, chief, alice, bob, topic, monkeypatch
):
    # A review and its report are two rows.
    monkeypatch.setattr(reviews, "BATCH_SIZE", 4)
    make_old(forum, KEPT_DAYS + 1, *(decide_on_report(chief, bob, topic) for _ in range(5)))
    left = [forum.count(Review) for _ in periodic_works(forum)["expired-reviews"].run()]
    assert left == [3, 1, 0]
    assert forum.count(Report) == 0


@pytest.mark.both_databases
def test_a_review_with_more_reports_than_a_batch_goes_alone(
    forum, chief, alice, bob, topic, monkeypatch
):
    monkeypatch.setattr(reviews, "BATCH_SIZE", 2)
    report(forum.person("carol"), "topic", topic)
    ids = [decide_on_report(chief, bob, topic) for _ in range(2)]
    make_old(forum, KEPT_DAYS + 1, *ids)
    make_old(forum, KEPT_DAYS + 2, ids[0])
    next(periodic_works(forum)["expired-reviews"].run())
    assert (forum.count(Review), forum.count(Report)) == (1, 1)


def test_without_the_setting_all_reviews_stay(make_forum, forum, chief, alice, bob, topic):
    make_old(forum, 3650, decide_on_report(chief, bob, topic))
    purge(make_forum(moderation__keep_reviews_days="off"))
    assert (forum.count(Review), forum.count(Report)) == (1, 1)
