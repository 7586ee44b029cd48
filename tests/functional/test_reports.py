"""Reports of members, the queue of moderators, and what becomes of both."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from sqlalchemy import func, select, text

from forumsvc.background.job_runner import JobRunner
from forumsvc.models import AuditRecord, Event, EventType, Report, Review
from forumsvc.queries import reviews
from forumsvc.services import counter_check
from forumsvc.services.moderation.reports import HIDDEN
from tests.cases import each
from tests.databases import on_postgresql
from tests.functional.conftest import MakeForum
from tests.functional.forum import Forum, Person, content
from tests.functional.rows import insert_row
from tests.functional.statements import of_request
from tests.system.process import wait_until

MODERATE = "read write moderate"


def report(who: Any, kind: str, obj_id: int, category: str = "spam", **more: Any) -> Any:
    """Report something and return the answer."""
    return who.post("/reports", obj_type=kind, obj_id=obj_id, category=category, **more)


def only_review(chief: Person) -> Any:
    """Return the one open review."""
    [review] = content(chief.get("/reviews"))
    return review


def resolve(chief: Person, review: int, decision: str, **more: Any) -> Any:
    """Decide on a review and return the answer."""
    return chief.post(f"/reviews/{review}/resolve", decision=decision, **more)


def told(person: Person) -> list[tuple[str, str | None]]:
    """Return what a person was told by moderators, the oldest first."""
    found = content(person.get("/notifications", limit=100))
    return [(one["action"], one["reason"]) for one in found if one["type"] == "Moderation"][::-1]


def wrong_counters(forum: Forum) -> list[str]:
    """Return the counters that a recount finds wrong."""
    with forum.database.reads.connect() as db:
        return [one.name for one in counter_check.check(db) if one.wrong]


@pytest.mark.both_databases
def test_a_report_opens_a_review_and_the_next_one_joins_it(
    chief: Person, alice: Person, bob: Person, topic: int, forum: Forum
) -> None:
    first = report(bob, "topic", topic, comment="Look at this")
    assert first.status_int == 201
    assert (first.json["state"], first.json["comment"]) == ("open", "Look at this")
    assert report(forum.person("carol"), "topic", topic, "abuse").status_int == 201
    review = only_review(chief)
    assert (review["obj_type"], review["obj_id"], review["reports_count"]) == ("topic", topic, 2)
    assert (review["weight"], review["user"]["login"], review["hidden"]) == (4, "alice", False)


def test_the_same_report_again_is_the_first_one(bob: Person, chief: Person, topic: int) -> None:
    first = report(bob, "topic", topic)
    again = report(bob, "topic", topic, "abuse")
    assert (again.status_int, again.json) == (200, first.json)
    assert only_review(chief)["reports_count"] == 1
    assert [one["id"] for one in content(bob.get("/reports"))] == [first.json["id"]]


@each(
    ("parameters", "named"),
    [
        ({"obj_type": "node"}, "obj_type"),
        ({"obj_type": ""}, "obj_type"),
        ({"obj_id": "x"}, "obj_id"),
        ({"category": "rude"}, "category"),
        ({"comment": "x" * 1001}, "comment"),
    ],
)
def test_a_wrong_parameter_is_named(
    bob: Person, topic: int, parameters: dict[str, str], named: str
) -> None:
    sent = {"obj_type": "topic", "obj_id": topic, "category": "spam", **parameters}
    refused = bob.post("/reports", **sent)
    assert (refused.status_int, refused.json["error"].split(":")[0]) == (400, named)


def test_what_one_does_not_see_or_wrote_cannot_be_reported(
    forum: Forum, chief: Person, alice: Person, bob: Person, topic: int
) -> None:
    assert report(alice, "topic", topic).status_int == 403
    assert report(bob, "user", bob.id).status_int == 403
    assert report(bob, "reply", 10**6).status_int == 404
    chief.delete(f"/topics/{topic}")
    assert report(bob, "topic", topic).status_int == 404
    assert report(forum.nobody, "user", bob.id).status_int == 401


def test_abilities_say_what_can_be_reported(
    forum: Forum, alice: Person, bob: Person, topic: int
) -> None:
    reply = forum.reply(bob, topic)
    assert content(bob.get(f"/topics/{topic}"))["abilities"]["report"] is True
    assert content(alice.get(f"/topics/{topic}"))["abilities"]["report"] is False
    assert content(alice.get(f"/replies/{reply}"))["abilities"]["report"] is True
    assert content(forum.nobody.get(f"/topics/{topic}"))["abilities"]["report"] is False


def test_a_review_shows_all_that_a_moderator_needs(
    chief: Person, alice: Person, bob: Person, topic: int, forum: Forum
) -> None:
    reply = forum.reply(alice, topic, "Buy **now**")
    report(bob, "reply", reply, comment="Again")
    chief.post(f"/users/{alice.id}/warn", reason="x")
    shown = content(chief.get(f"/reviews/{only_review(chief)['id']}"))
    assert shown["object"]["body"] == "Buy **now**"
    [one] = shown["reports"]
    assert (one["reporter"]["login"], one["comment"]) == ("bob", "Again")
    assert (shown["author"]["login"], shown["author"]["restrictions_count"]) == ("alice", 1)


def test_a_reported_text_cannot_be_edited_away(
    forum: Forum, chief: Person, alice: Person, bob: Person, node: int
) -> None:
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


def test_hiding_bans_a_topic_and_tells_author_and_reporters(
    chief: Person, alice: Person, bob: Person, topic: int
) -> None:
    report(bob, "topic", topic)
    review = only_review(chief)
    done = resolve(chief, review["id"], "hide", reason="Advertising", version=review["version"])
    assert done.status_int == 200
    shown = content(done)
    assert (shown["state"], shown["decision"], shown["version"]) == ("resolved", "hide", 2)
    assert shown["resolved_by"]["login"] == "chief"
    assert bob.get(f"/topics/{topic}").status_int == 404
    assert told(alice) == [("topic.banned", "Advertising")]
    assert told(bob) == [("report.upheld", "Advertising")]
    assert content(bob.get("/reports"))[0]["state"] == "upheld"
    assert content(chief.get("/reviews")) == []
    [kept] = content(chief.get("/reviews", state="resolved"))
    assert kept["reason"] == "Advertising"
    actions = [one["action"] for one in chief.get("/moderation/log").json]
    assert actions == ["review.resolved", "topic.banned"]


def test_dismissing_leaves_everything_and_tells_the_reporter(
    chief: Person, alice: Person, bob: Person, topic: int
) -> None:
    report(bob, "topic", topic)
    assert resolve(chief, only_review(chief)["id"], "dismiss").status_int == 200
    assert bob.get(f"/topics/{topic}").status_int == 200
    assert (told(alice), told(bob)) == ([], [("report.dismissed", None)])
    # After a decision one may report again.
    assert report(bob, "topic", topic).status_int == 201


@pytest.mark.parametrize("decision", ["hide", "delete"])
def test_a_reply_is_deleted_whatever_the_word(
    forum: Forum, chief: Person, alice: Person, bob: Person, topic: int, decision: str
) -> None:
    reply = forum.reply(alice, topic)
    report(bob, "reply", reply)
    assert resolve(chief, only_review(chief)["id"], decision).status_int == 200
    assert bob.get(f"/replies/{reply}").status_int == 404
    assert told(alice) == [("reply.deleted", None)]
    assert wrong_counters(forum) == []


def test_a_decision_can_silence_the_author(
    chief: Person, alice: Person, bob: Person, topic: int
) -> None:
    report(bob, "topic", topic)
    review = only_review(chief)["id"]
    without = resolve(chief, review, "delete", silence_days=3)
    assert (without.status_int, without.json["error"].split(":")[0]) == (400, "reason")
    assert bob.get(f"/topics/{topic}").status_int == 200
    assert resolve(chief, review, "delete", silence_days=3, reason="Spam").status_int == 200
    assert content(alice.get("/users/me"))["restriction"]["reason"] == "Spam"
    assert [action for action, _ in told(alice)] == ["topic.deleted", "user.silenced"]


def test_a_maintainer_cannot_silence_another_by_a_review(
    forum: Forum, chief: Person, bob: Person
) -> None:
    other = forum.person("other", role="maintainer")
    report(bob, "user", other.id)
    review = only_review(chief)["id"]
    refused = resolve(chief, review, "dismiss", silence_days=3, reason="x")
    assert refused.status_int == 403
    assert only_review(chief)["state"] == "open"


def test_a_reported_user_is_silenced_or_the_report_dismissed(
    chief: Person, alice: Person, bob: Person
) -> None:
    report(bob, "user", alice.id)
    review = only_review(chief)["id"]
    refused = resolve(chief, review, "hide")
    assert (refused.status_int, refused.json["error"].split(":")[0]) == (400, "decision")
    assert resolve(chief, review, "dismiss", silence_days=1, reason="Abuse").status_int == 200
    assert told(bob) == [("report.upheld", None)]
    assert content(alice.get("/users/me"))["level"] == "blocked"


def test_nobody_decides_on_what_they_wrote_or_reported_but_admins(
    forum: Forum, chief: Person, bob: Person, node: int
) -> None:
    root = forum.person("root", role="admin", scope=MODERATE)
    topic = forum.topic(chief, node)
    report(bob, "topic", topic)
    report(root, "topic", topic)
    review = content(root.get("/reviews"))[0]["id"]
    assert resolve(chief, review, "dismiss").status_int == 403
    other = forum.person("other", role="maintainer", scope=MODERATE)
    report(other, "topic", topic)
    assert resolve(other, review, "hide").status_int == 403
    assert resolve(root, review, "hide").status_int == 200


def test_the_same_decision_again_changes_nothing_and_another_one_is_too_late(
    forum: Forum, chief: Person, alice: Person, bob: Person, topic: int
) -> None:
    report(bob, "topic", topic)
    review = only_review(chief)
    first = resolve(chief, review["id"], "hide", reason="x", version=1)
    again = resolve(chief, review["id"], "hide", reason="x", version=1)
    assert (again.status_int, content(again)) == (200, content(first))
    assert resolve(chief, review["id"], "dismiss").status_int == 412
    assert resolve(chief, review["id"], "dismiss", version=2).status_int == 412
    assert told(alice) == [("topic.banned", "x")]


@pytest.mark.both_databases
def test_if_match_with_the_etag_of_a_review_that_was_decided_meanwhile_is_412(
    forum: Forum, chief: Person, alice: Person, bob: Person, topic: int
) -> None:
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


@pytest.mark.both_databases
def test_enough_reporters_hide_a_post_until_a_moderator_has_looked(make_forum: MakeForum) -> None:
    forum = make_forum(moderation__hide_after="2", accounts__newbie_minutes="60")
    chief = forum.person("chief", role="maintainer", scope=MODERATE)
    alice, bob, carol = (forum.person(login) for login in ("alice", "bob", "carol"))
    newbie = forum.person("newbie", age_days=0)
    topic = forum.topic(alice, forum.node())
    reply = forum.reply(alice, topic)
    for who in (bob, newbie):
        report(who, "topic", topic)
    assert newbie.get(f"/topics/{topic}").status_int == 200
    report(carol, "topic", topic)
    assert bob.get(f"/topics/{topic}").status_int == 404
    assert alice.get(f"/topics/{topic}").status_int == 200
    [(action, reason)] = told(alice)
    assert (action, reason is not None) == ("topic.banned", True)
    [record] = chief.get("/moderation/log").json
    assert (record["action"], record["via"], record["actor"]) == ("topic.banned", "auto", None)
    assert resolve(chief, only_review(chief)["id"], "approve").status_int == 200
    assert bob.get(f"/topics/{topic}").status_int == 200
    for who in (bob, carol):
        report(who, "reply", reply)
    assert bob.get(f"/replies/{reply}").status_int == 404
    assert resolve(chief, only_review(chief)["id"], "approve").status_int == 200
    assert bob.get(f"/replies/{reply}").status_int == 200
    assert wrong_counters(forum) == []


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
    make_forum: MakeForum, kind: str, decision: str, action: str, reason: str
) -> None:
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


def test_the_author_of_what_stays_is_told_if_there_is_a_reason(
    chief: Person, alice: Person, bob: Person, topic: int
) -> None:
    report(bob, "topic", topic)
    resolve(chief, only_review(chief)["id"], "dismiss", reason="Fine, but mind the tone")
    assert told(alice) == [("report.unfounded", "Fine, but mind the tone")]


def test_a_decision_does_not_shorten_a_silence(
    chief: Person, alice: Person, bob: Person, topic: int
) -> None:
    chief.post(f"/users/{alice.id}/silence", reason="For ever")
    report(bob, "topic", topic)
    resolve(chief, only_review(chief)["id"], "approve", silence_days=1, reason="Abuse")
    held = content(alice.get("/users/me"))["restriction"]
    assert (held["reason"], held["until"]) == ("For ever", None)
    assert told(alice) == [("user.silenced", "For ever"), ("user.silenced", "Abuse")]
    chief.post(f"/users/{alice.id}/unsilence", reason="x")
    for days, longest in ((3, 3), (1, 3), (5, 5)):
        report(bob, "topic", topic)
        reason = f"For {days}"
        resolve(chief, only_review(chief)["id"], "approve", silence_days=days, reason=reason)
        held = content(alice.get("/users/me"))["restriction"]
        assert held["reason"] == f"For {longest}"
    assert told(bob) == [("report.upheld", None)] * 4


@pytest.mark.parametrize("decision", ["dismiss", "hide"])
@pytest.mark.both_databases
def test_a_decision_takes_as_many_statements_for_many_reporters(
    forum: Forum, chief: Person, alice: Person, node: int, decision: str
) -> None:
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


@pytest.mark.parametrize("kind", ["topic", "reply"])
@pytest.mark.both_databases
def test_what_a_moderator_has_approved_is_not_hidden_by_the_same_people(
    make_forum: MakeForum, kind: str
) -> None:
    forum = make_forum(moderation__hide_after="2")
    chief = forum.person("chief", role="maintainer", scope=MODERATE)
    alice, bob, carol, dave = (forum.person(one) for one in ("alice", "bob", "carol", "dave"))
    node = forum.node()
    obj_id = forum.topic(alice, node)
    path, edited = f"/topics/{obj_id}", {"title": "T", "node_id": node, "body": "Other words"}
    if kind == "reply":
        obj_id = forum.reply(alice, obj_id)
        path, edited = f"/replies/{obj_id}", {"body": "Other words"}
    for who in (bob, carol):
        report(who, kind, obj_id)
    assert bob.get(path).status_int == 404
    resolve(chief, only_review(chief)["id"], "approve")
    for who in (bob, carol):
        assert report(who, kind, obj_id).status_int == 201
    assert only_review(chief)["reports_count"] == 2
    assert report(dave, kind, obj_id).status_int == 201
    assert bob.get(path).status_int == 200
    resolve(chief, only_review(chief)["id"], "dismiss")
    assert alice.post(path, **edited).status_int == 200
    for who in (bob, carol):
        report(who, kind, obj_id)
    assert bob.get(path).status_int == 404


def test_the_posts_of_moderators_are_not_hidden_by_reports(make_forum: MakeForum) -> None:
    forum = make_forum(moderation__hide_after="2")
    chief = forum.person("chief", role="maintainer")
    topic = forum.topic(chief, forum.node())
    for login in ("alice", "bob", "carol"):
        assert report(forum.person(login), "topic", topic).status_int == 201
    assert forum.nobody.get(f"/topics/{topic}").status_int == 200


def test_reports_have_a_rate(make_forum: MakeForum) -> None:
    forum = make_forum(rate_limit__reports="2/day")
    bob, alice, node = forum.person("bob"), forum.person("alice"), forum.node()
    topics = [forum.topic(alice, node) for _ in range(3)]
    answers = [report(bob, "topic", topic) for topic in topics]
    assert [one.status_int for one in answers] == [201, 201, 429]
    assert int(answers[2].headers["Retry-After"]) > 80_000


@pytest.mark.both_databases
def test_the_queue_is_filtered_ordered_and_paged(
    forum: Forum, chief: Person, alice: Person, bob: Person, node: int
) -> None:
    other = forum.node("Other")
    first, second = forum.topic(alice, node), forum.topic(bob, other)
    carol = forum.person("carol", role="vip")
    report(bob, "topic", first)
    report(carol, "topic", second)
    report(alice, "topic", second)
    assert [one["obj_id"] for one in content(chief.get("/reviews"))] == [first, second]
    heaviest = content(chief.get("/reviews", order="weight"))
    assert [one["weight"] for one in heaviest] == [5, 2]
    assert [one["obj_id"] for one in content(chief.get("/reviews", node_id=other))] == [second]
    assert [one["obj_id"] for one in content(chief.get("/reviews", user="ALICE"))] == [first]
    page = chief.get("/reviews", limit=1)
    assert (page.headers["X-Total-Count"], 'rel="next"' in page.headers["Link"]) == ("2", True)
    assert chief.get("/reviews", user="nobody9").status_int == 400
    assert chief.get("/reviews", order="best").status_int == 400


@pytest.mark.both_databases
def test_the_metrics_know_how_many_reviews_wait_and_since_when(
    forum: Forum, chief: Person, bob: Person, topic: int
) -> None:
    for open_reviews in (0, 1):
        runner = JobRunner(forum.database, [], 1)
        runner.run()
        assert runner.open_reviews == open_reviews
        assert (runner.oldest_review_at is not None) == bool(open_reviews)
        report(bob, "topic", topic)


def test_reporters_are_shown_to_moderators_only(
    forum: Forum, chief: Person, alice: Person, bob: Person, topic: int
) -> None:
    report(bob, "topic", topic)
    resolve(chief, only_review(chief)["id"], "hide", reason="x")
    assert "bob" not in alice.get("/notifications").text
    for caller in (alice, bob, forum.nobody, forum.person("plain", role="maintainer")):
        assert caller.get("/reviews").status_int in (401, 403)
    is_report = Event.type == EventType.REPORT_CREATED
    with forum.database.reads.connect() as db:
        assert list(db.scalars(select(Event.actor_id).where(is_report))) == [None]


@pytest.mark.both_databases
def test_many_reports_at_once_are_one_review_and_hide_once(make_forum: MakeForum) -> None:
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
def test_of_many_contrary_decisions_one_wins(
    forum: Forum, alice: Person, bob: Person, topic: int
) -> None:
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


def test_the_keyed_shape_has_each_under_its_name(make_forum: MakeForum) -> None:
    forum = make_forum(api__envelope="keyed")
    chief = forum.person("chief", role="maintainer", scope=MODERATE)
    topic = forum.topic(forum.person("alice"), forum.node())
    bob = forum.person("bob")
    made = report(bob, "topic", topic)
    assert (made.status_int, made.json["report"]["state"]) == (200, "open")
    [review] = chief.get("/reviews").json["reviews"]
    shown = chief.get(f"/reviews/{review['id']}").json
    assert (shown["review"]["reports_count"], shown["meta"]) == (1, {})
    assert resolve(chief, review["id"], "hide").json["review"]["decision"] == "hide"
    assert bob.get("/reports").json["reports"][0]["state"] == "upheld"


def test_a_word_about_a_reply_in_a_hidden_topic_points_to_nothing(
    make_forum: MakeForum,
) -> None:
    forum = make_forum(moderation__hide_after="2")
    chief = forum.person("chief", role="maintainer", scope=MODERATE)
    alice, bob, carol = (forum.person(login) for login in ("alice", "bob", "carol"))
    topic = forum.topic(bob, forum.node())
    reply = forum.reply(alice, topic)
    for who in (bob, carol):
        report(who, "reply", reply)
    chief.post(f"/topics/{topic}/action", type="ban")
    assert resolve(chief, only_review(chief)["id"], "approve", reason="Fine").status_int == 200
    [*_, newest] = content(alice.get("/notifications"))[:1]
    assert (newest["action"], newest["topic"]) == ("reply.restored", None)
    assert wrong_counters(forum) == []


@pytest.mark.both_databases
def test_a_moderators_deletion_of_what_its_author_has_deleted_is_recorded_once(
    forum: Forum, chief: Person, alice: Person, topic: int
) -> None:
    reply = forum.reply(alice, topic)
    for path in (f"/replies/{reply}", f"/topics/{topic}"):
        assert alice.delete(path).status_int == 200
        for reason in ("Spam", "Spam, once more"):
            assert chief.delete(path, reason=reason).status_int == 200
    with forum.database.reads.connect() as db:
        logged = select(AuditRecord.action, AuditRecord.reason).order_by(AuditRecord.id)
        assert [tuple(row) for row in db.execute(logged)] == [
            ("reply.deleted", "Spam"),
            ("topic.deleted", "Spam"),
        ]
    assert told(alice) == [("reply.deleted", "Spam"), ("topic.deleted", "Spam")]


@on_postgresql
def test_a_report_that_comes_while_a_decision_waits_is_in_its_answer(
    forum: Forum, chief: Person, alice: Person, bob: Person, topic: int
) -> None:
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
