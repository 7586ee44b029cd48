"""Posts that wait for a moderator: nobody sees them, and a release is an ordinary post."""

import json
from functools import partial
from typing import Any

import pytest
from sqlalchemy import select

from forumsvc import clock
from forumsvc.errors import Conflict
from forumsvc.models import Event, HeldPost, Notification, Reply, Review, Topic, UserState
from forumsvc.pages.docs.guide import source
from forumsvc.queries import held_posts as held_post_queries
from forumsvc.services.moderation import held_posts
from tests.functional.conftest import MakeForum
from tests.functional.forum import Forum, Person, content
from tests.functional.test_reports import MODERATE, wrong_counters
from tests.functional.threads import alone, statuses, together
from tests.system.doc_examples import blocks, matches

HELD = {"posts.hold_first": "1", "posts.held_words": "casino, 赌场"}


@pytest.fixture
def strict(make_forum: MakeForum) -> Forum:
    """A forum that holds a member's first post, and posts with certain words."""
    return make_forum(**HELD)


@pytest.fixture
def chief(strict: Forum) -> Person:
    """A maintainer of the strict forum."""
    return strict.person("chief", role="maintainer", scope=MODERATE)


@pytest.fixture
def newcomer(strict: Forum) -> Person:
    """A member without posts."""
    return strict.person("newcomer")


def open_topic(who: Person, node: int, title: str = "Hello", body: str = "I am new") -> Any:
    """Post a topic and return the answer."""
    return who.post("/topics", title=title, body=body, node_id=node)


def hold_topic(who: Person, node: int, **texts: str) -> int:
    """Post a topic that is held, and return the id of the held post."""
    answer = open_topic(who, node, **texts)
    assert answer.status_int == 202, answer.json
    return int(answer.json["held"]["id"])


def resolve_only(chief: Person, decision: str, **more: Any) -> Any:
    """Decide on the one open review and return the answer."""
    [review] = content(chief.get("/reviews"))
    return chief.post(f"/reviews/{review['id']}/resolve", decision=decision, **more)


def rows(forum: Forum, *columns: Any) -> list[Any]:
    with forum.database.reads.connect() as db:
        return list(db.execute(select(*columns).order_by(columns[0])))


def test_the_answer_about_a_held_reply_is_the_one_of_the_guide(strict, newcomer, chief):
    [shown] = [
        json.loads(block.text) for block in blocks(source("quick-start")) if '"held"' in block.text
    ]
    topic = strict.topic(chief, strict.node())
    answer = newcomer.post(f"/topics/{topic}/replies", body=shown["held"]["body"])
    assert answer.status_int == 202
    assert matches(shown, answer.json)


def test_a_post_of_whom_is_erased_while_it_is_rendered_does_not_wait(strict, newcomer, monkeypatch):
    node, renderer = strict.node(), strict.registry.authoring.renderer
    render = renderer.render

    def rendering(*texts: Any, **named: Any) -> Any:
        strict.change(newcomer.id, state=UserState.DELETED)
        return render(*texts, **named)

    monkeypatch.setattr(renderer, "render", rendering)
    assert open_topic(newcomer, node).status_int == 403
    assert strict.count(HeldPost) == 0


def test_of_a_held_post_others_get_no_event_but_that_it_waits(strict, newcomer):
    node = strict.node()
    topic = strict.topic(strict.person("author", role="vip"), node)
    before = rows(strict, Event.id)
    hold_topic(newcomer, node)
    assert newcomer.post(f"/topics/{topic}/replies", body="Hello @author").status_int == 202
    new = {one.type for one in rows(strict, Event.id, Event.type) if (one.id,) not in before}
    assert new == {"review.opened", "post.held"}
    assert rows(strict, Reply.id) == rows(strict, Notification.id) == []


@pytest.mark.both_databases
def test_of_a_decision_and_a_withdrawal_at_once_one_counts(strict, newcomer, chief):
    held = hold_topic(newcomer, strict.node())
    [review] = content(chief.get("/reviews"))
    path = f"/reviews/{review['id']}/resolve"
    decided, withdrawn = together(
        [
            lambda: chief.post(path, decision="approve").status_int,
            lambda: newcomer.delete(f"/held/{held}").status_int,
        ]
    )
    published = len(rows(strict, Topic.id))
    assert (decided == 200) is bool(published)
    assert (withdrawn == 200) is not bool(published)
    assert wrong_counters(strict) == []


def test_a_withdrawal_that_waited_for_a_decision_is_refused(strict, newcomer, chief):
    held = hold_topic(newcomer, strict.node())
    with strict.database.reads.connect() as db:
        before = held_post_queries.by_id(db, held)
    assert before is not None
    assert resolve_only(chief, "approve").status_int == 200
    with pytest.raises(Conflict), strict.database.session.begin() as db:
        held_posts.withdraw(db, clock.now(), before)


@pytest.mark.both_databases
def test_a_retried_creation_is_held_once(strict, newcomer):
    node = strict.node()
    sent = {"title": "Hello", "body": "I am new", "node_id": node}
    answers = [
        newcomer.call("POST", "/topics", sent, headers={"Idempotency-Key": '"one"'})
        for _ in range(2)
    ]
    assert [one.status_int for one in answers] == [202, 202]
    assert answers[0].json == answers[1].json
    assert len(rows(strict, HeldPost.id)) == 1


@pytest.mark.both_databases
def test_the_same_text_again_is_held_once_while_it_waits(make_forum):
    forum = make_forum(**HELD, posts__seconds_between_topics="30", posts__duplicate_minutes="10")
    newcomer, node = forum.person("newcomer"), forum.node()
    topic = content(open_topic(forum.person("author", role="vip"), node))["id"]
    first = open_topic(newcomer, node)
    again = open_topic(newcomer, node)
    assert (again.status_int, again.json) == (202, first.json)
    path = f"/topics/{topic}/replies"
    reply = newcomer.post(path, body="I am new").json["held"]
    assert newcomer.post(path, body="I am new").json["held"] == reply
    assert len(rows(forum, HeldPost.id)) == len(rows(forum, Review.id)) == 2
    newcomer.delete(f"/held/{reply['id']}")
    assert newcomer.post(path, body="I am new").json["held"]["id"] > reply["id"]


@pytest.mark.both_databases
def test_the_same_text_sent_at_once_is_held_once(strict, newcomer):
    node = strict.node()
    callers = [alone(strict, newcomer) for _ in range(8)]
    sent = {"title": "Hello", "body": "I am new", "node_id": node}
    answers = together([partial(one.post, "/topics", **sent) for one in callers])
    assert statuses(answers) == {202: 8}
    assert len({answer.json["held"]["id"] for answer in answers}) == 1
    assert len(rows(strict, Review.id)) == 1


@pytest.mark.both_databases
def test_a_person_cannot_fill_the_queue(strict, newcomer, monkeypatch):
    monkeypatch.setattr(held_posts, "MAX_WAITING", 2)
    node = strict.node()
    for number in range(2):
        hold_topic(newcomer, node, title=f"Number {number}")
    refused = open_topic(newcomer, node)
    assert (refused.status_int, "wait for a moderator" in refused.json["error"]) == (400, True)


def test_the_keyed_shape_has_a_held_post_as_meta(make_forum):
    forum = make_forum(**HELD, **{"api.envelope": "keyed"})
    answer = open_topic(forum.person("newcomer"), forum.node())
    assert answer.status_int == 200
    held = answer.json["meta"]["held"]
    assert answer.json == {"topic": None, "reply": None, "meta": {"held": held}}
    assert held["state"] == "waiting"
