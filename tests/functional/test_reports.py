"""Reports of members, the queue of moderators, and what becomes of both."""

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import pytest
from sqlalchemy import func, select, text, update

from forumsvc.background.job_runner import JobRunner
from forumsvc.models import AuditRecord, Event, EventType, Reply, Report, Review, Topic
from forumsvc.queries import reviews
from forumsvc.services.moderation.reports import HIDDEN
from forumsvc.services.posts import counters
from tests.databases import on_postgresql
from tests.functional.forum import Forum, Person, content
from tests.functional.rows import insert_row
from tests.functional.statements import of_request
from tests.system.process import wait_until

MODERATE = "read write moderate"


def report(who: Any, kind: str, obj_id: int, category: str = "spam", **more: Any) -> Any:
    return who.post("/reports", obj_type=kind, obj_id=obj_id, category=category, **more)


def only_review(chief: Person) -> Any:
    [review] = content(chief.get("/reviews"))
    return review


def resolve(chief: Person, review: int, decision: str, **more: Any) -> Any:
    return chief.post(f"/reviews/{review}/resolve", decision=decision, **more)


def told(person: Person) -> list[tuple[str, str | None]]:
    """Return what a person was told by moderators, the oldest first."""
    found = content(person.get("/notifications", limit=100))
    return [(one["action"], one["reason"]) for one in found if one["type"] == "Moderation"][::-1]


def wrong_counters(forum: Forum) -> list[str]:
    with forum.database.reads.connect() as db:
        return [one.name for one in counters.check(db) if one.wrong]


def test_a_reported_text_cannot_be_edited_away(forum, chief, alice, bob, node):
    topic = forum.topic(alice, node, title="Nice", body="Rude words")
    for who in (bob, forum.person("carol")):
        report(who, "topic", topic)
    alice.post(f"/topics/{topic}", title="Nice", node_id=node, body="Fine words")
    report(forum.person("dave"), "topic", topic)
    review = only_review(chief)["id"]
    reports = content(chief.get(f"/reviews/{review}"))["reports"]
    rude, fine = "Nice\n\nRude words", "Nice\n\nFine words"
    assert [one["text"] for one in reports] == [rude, rude, fine]
    with forum.database.reads.connect() as db:
        # Kept once, however many report it.
        assert db.scalars(select(Report.text).order_by(Report.id)).all() == [rude, None, fine]
    assert "text" not in content(bob.get("/reports"))[0]


@pytest.mark.both_databases
def test_if_match_with_the_etag_of_a_review_that_was_decided_meanwhile_is_412(
    forum, chief, alice, bob, topic
):
    report(bob, "topic", topic)
    path = f"/reviews/{only_review(chief)['id']}"
    seen = chief.get(path).headers["ETag"]

    def decide(decision: str, etag: str) -> int:
        headers = {"If-Match": etag}
        values = {"decision": decision}
        return int(chief.call("POST", f"{path}/resolve", values, headers=headers).status_int)

    assert decide("hide", '"another"') == 412
    forum.reply(bob, topic)
    assert chief.get(path).headers["ETag"] != seen
    assert decide("hide", seen) == 200
    assert [decide("hide", seen), decide("dismiss", seen), decide("dismiss", "*")] == [
        200,
        412,
        412,
    ]
    assert chief.get(path).headers["ETag"].partition(".")[0] != seen.partition(".")[0]


@pytest.mark.parametrize("reason", ["Advertising", ""])
@pytest.mark.parametrize(
    ("kind", "decision", "action"),
    [
        ("topic", "hide", "topic.banned"),
        ("topic", "delete", "topic.deleted"),
        ("reply", "delete", "reply.deleted"),
        ("topic", "approve", "topic.unbanned"),
        ("reply", "dismiss", "reply.restored"),
    ],
)
def test_the_decision_on_what_was_hidden_automatically_is_told_once_with_its_reason(
    make_forum, kind, decision, action, reason
):
    forum = make_forum(moderation__hide_after="2")
    chief = forum.person("chief", role="maintainer", scope=MODERATE)
    alice, bob, carol = (forum.person(one) for one in ("alice", "bob", "carol"))
    obj_id = forum.topic(bob if kind == "reply" else alice, forum.node())
    if kind == "reply":
        obj_id = forum.reply(alice, obj_id)
    dave = forum.person("dave")
    for who in (carol, dave):
        report(who, kind, obj_id)
    hidden = [one for one in told(alice) if one[1] == HIDDEN]
    assert len(hidden) == 1
    resolve(chief, only_review(chief)["id"], decision, reason=reason)
    assert told(alice) == [*hidden, (action, reason or None)]
    outcome = "report.upheld" if decision in ("hide", "delete") else "report.dismissed"
    for reporter in (carol, dave):
        assert told(reporter) == [(outcome, reason or None)]


def test_the_deletion_of_what_its_author_has_deleted_meanwhile_is_told_once(
    forum, chief, alice, bob, topic
):
    reply = forum.reply(alice, topic)
    report(bob, "reply", reply)
    assert alice.delete(f"/replies/{reply}").status_int == 200
    resolve(chief, only_review(chief)["id"], "delete", reason="Spam")
    assert told(alice) == [("reply.deleted", "Spam")]


@pytest.mark.both_databases
@pytest.mark.parametrize("restored_before", [False, True])
@pytest.mark.parametrize("kind", ["topic", "reply"])
def test_what_a_moderator_has_hidden_or_deleted_stays_so_when_its_reports_are_dismissed(
    make_forum, kind, restored_before
):
    forum = make_forum(moderation__hide_after="2")
    chief, deputy = (
        forum.person(one, role="maintainer", scope=MODERATE) for one in ("chief", "deputy")
    )
    alice, bob, carol = (forum.person(one) for one in ("alice", "bob", "carol"))
    obj_id = forum.topic(alice, forum.node())
    hide = partial(deputy.post, f"/topics/{obj_id}/action?type=ban")
    if kind == "reply":
        obj_id = forum.reply(alice, obj_id)
        hide = partial(deputy.delete, f"/replies/{obj_id}")
    for who in (bob, carol):
        report(who, kind, obj_id)
    model, since = (Topic, "banned_at") if kind == "topic" else (Reply, "deleted_at")
    if restored_before:
        with forum.database.session.begin() as db:
            db.execute(update(model).values({since: None}))
    assert hide().status_int == 200
    assert resolve(chief, only_review(chief)["id"], "dismiss").status_int == 200
    assert chief.get("/reviews").json == []
    with forum.database.reads.connect() as db:
        assert db.scalar(select(getattr(model, since)).where(model.id == obj_id)) is not None
    assert told(bob) == [("report.dismissed", None)]


@pytest.mark.parametrize("decision", ["dismiss", "hide"])
@pytest.mark.both_databases
def test_a_decision_takes_as_many_statements_for_many_reporters(
    forum, chief, alice, node, decision
):
    reporters = [forum.person(f"reporter{number}") for number in range(9)]
    counts = []
    for number in (1, 2, 9):
        topic = forum.topic(alice, node)
        for reporter in reporters[:number]:
            report(reporter, "topic", topic)
        review = only_review(chief)["id"]
        path = f"/reviews/{review}/resolve"
        counts.append(len(of_request(forum, chief, "POST", path, decision=decision, reason="x")))
    # The first one makes the user `system`, too.
    assert counts[1] == counts[2]
    assert len(told(reporters[0])) == 3
    assert len(told(reporters[8])) == 1
    assert wrong_counters(forum) == []


@pytest.mark.both_databases
def test_the_metrics_know_how_many_reviews_wait_and_since_when(forum, chief, bob, topic):
    for open_reviews in (0, 1):
        runner = JobRunner(forum.database, [], 1)
        runner.run()
        assert runner.open_reviews == open_reviews
        assert (runner.oldest_review_at is not None) == bool(open_reviews)
        report(bob, "topic", topic)


def test_reporters_are_shown_to_moderators_only(forum, chief, alice, bob, topic):
    report(bob, "topic", topic)
    resolve(chief, only_review(chief)["id"], "hide", reason="x")
    assert "bob" not in alice.get("/notifications").text
    for caller in (alice, bob, forum.nobody, forum.person("plain", role="maintainer")):
        assert caller.get("/reviews").status_int in (401, 403)
    is_report = Event.type == EventType.REPORT_CREATED
    with forum.database.reads.connect() as db:
        assert list(db.scalars(select(Event.actor_id).where(is_report))) == [None]


@pytest.mark.both_databases
def test_many_reports_at_once_are_one_review_and_hide_once(make_forum):
    forum = make_forum(moderation__hide_after="5")
    chief = forum.person("chief", role="maintainer", scope=MODERATE)
    topic = forum.topic(forum.person("alice"), forum.node())
    reporters = [forum.person(f"member{number}") for number in range(64)]
    with ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(lambda who: report(who, "topic", topic).status_int, reporters))
    # Who comes after the topic is hidden does not see it any more.
    assert set(answers) <= {201, 404, 403}
    with forum.database.reads.connect() as db:
        [counted] = db.scalars(select(Review.reports_count))
        reports = db.scalar(select(func.count()).select_from(Report))
        hidden = db.scalar(select(func.count()).select_from(AuditRecord))
    assert (counted, hidden) == (reports, 1)
    assert counted == answers.count(201) >= 5
    assert only_review(chief)["hidden"] is True
    assert wrong_counters(forum) == []


@pytest.mark.both_databases
def test_of_many_contrary_decisions_one_wins(forum, alice, bob, topic):
    report(bob, "topic", topic)
    chiefs = [
        forum.person(f"chief{number}", role="maintainer", scope=MODERATE) for number in range(16)
    ]
    review = only_review(chiefs[0])["id"]
    decisions = ["hide", "dismiss"] * 8
    with ThreadPoolExecutor(16) as pool:
        answers = list(
            pool.map(
                lambda pair: resolve(pair[0], review, pair[1], version=1).status_int,
                zip(chiefs, decisions, strict=True),
            )
        )
    won = content(chiefs[0].get(f"/reviews/{review}"))["decision"]
    same = [answer for answer, said in zip(answers, decisions, strict=True) if said == won]
    other = [answer for answer, said in zip(answers, decisions, strict=True) if said != won]
    assert (set(same), set(other)) == ({200}, {412})
    assert (bob.get(f"/topics/{topic}").status_int == 404) is (won == "hide")
    assert len(told(bob)) == 1


@pytest.mark.both_databases
def test_a_moderators_deletion_of_what_its_author_has_deleted_is_recorded_once(
    forum, chief, alice, topic
):
    reply = forum.reply(alice, topic)
    for path in (f"/replies/{reply}", f"/topics/{topic}"):
        assert alice.delete(path).status_int == 200
        events = forum.count(Event)
        for reason in ("Spam", "Spam, once more", "Spam, for the third time"):
            assert chief.delete(path, reason=reason).status_int == 200
        assert forum.count(Event) == events
    with forum.database.reads.connect() as db:
        logged = select(AuditRecord.action, AuditRecord.reason).order_by(AuditRecord.id)
        assert [tuple(row) for row in db.execute(logged)] == [
            ("reply.deleted", "Spam"),
            ("topic.deleted", "Spam"),
        ]
    assert told(alice) == [("reply.deleted", "Spam"), ("topic.deleted", "Spam")]


@on_postgresql
def test_a_report_that_comes_while_a_decision_waits_is_in_its_answer(
    forum, chief, alice, bob, topic
):
    report(bob, "topic", topic)
    review_id = only_review(chief)["id"]
    carol = forum.person("carol")

    def locked() -> set[str]:
        with forum.database.session.begin() as db:
            found = reviews.by_id(db, review_id, lock=True)
            assert found is not None
            return {*str(found.reporter_ids).split(",")}

    def waits() -> bool:
        with forum.database.reads.connect() as db:
            return bool(db.scalar(text("SELECT count(*) FROM pg_locks WHERE NOT granted")))

    with ThreadPoolExecutor(1) as pool:
        with forum.database.session.begin() as db:
            assert reviews.by_id(db, review_id, lock=True) is not None
            waiting = pool.submit(locked)
            wait_until(waits, "a lock that is waited for")
            values = {"reporter_id": carol.id, "review_id": review_id, "category": "spam"}
            insert_row(db, Report, **values, comment="", state="open", is_established=True)
        assert waiting.result() == {str(bob.id), str(carol.id)}
