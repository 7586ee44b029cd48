"""Posts that wait for a moderator: nobody sees them, and a release is an ordinary post."""

import json
from functools import partial
from typing import Any

import pytest
from sqlalchemy import select

from forumsvc.models import Event, HeldPost, Notification, Reply, Review, Topic, UserState
from forumsvc.pages.docs.guide import source
from forumsvc.services.moderation import held_posts
from tests.functional.conftest import MakeForum
from tests.functional.forum import Forum, Person, content
from tests.functional.test_reports import MODERATE, told, wrong_counters
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


def test_the_answer_about_a_held_reply_is_the_one_of_the_guide(
    strict: Forum, newcomer: Person, chief: Person
) -> None:
    [shown] = [
        json.loads(block.text) for block in blocks(source("quick-start")) if '"held"' in block.text
    ]
    topic = strict.topic(chief, strict.node())
    answer = newcomer.post(f"/topics/{topic}/replies", body=shown["held"]["body"])
    assert answer.status_int == 202
    assert matches(shown, answer.json)


def test_a_post_of_whom_is_erased_while_it_is_rendered_does_not_wait(
    strict: Forum, newcomer: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    node, renderer = strict.node(), strict.registry.authoring.renderer
    render = renderer.render

    def rendering(*texts: Any, **named: Any) -> Any:
        strict.change(newcomer.id, state=UserState.DELETED)
        return render(*texts, **named)

    monkeypatch.setattr(renderer, "render", rendering)
    assert open_topic(newcomer, node).status_int == 403
    assert strict.count(HeldPost) == 0


def test_a_maintainers_token_without_moderate_reads_no_held_post_of_others(
    strict: Forum, newcomer: Person, chief: Person
) -> None:
    held = hold_topic(newcomer, strict.node())
    reader = strict.caller(strict.token(chief.id, scope="read"))
    assert [who.get(f"/held/{held}").status_int for who in (chief, reader)] == [200, 403]


def test_a_first_post_is_accepted_and_waits(strict: Forum, newcomer: Person) -> None:
    answer = open_topic(newcomer, strict.node())
    assert answer.status_int == 202
    held = answer.json["held"]
    assert (held["kind"], held["state"], held["title"]) == ("topic", "waiting", "Hello")
    assert held["reason"] == "It is one of your first posts."
    assert held["user"]["login"] == "newcomer"


def test_the_queue_of_a_node_has_the_posts_that_wait_in_it(
    strict: Forum, chief: Person, newcomer: Person
) -> None:
    here, elsewhere = strict.node("Here"), strict.node("Elsewhere")
    topics = {node: strict.topic(chief, node) for node in (here, elsewhere)}
    for node in (here, elsewhere):
        hold_topic(newcomer, node, title=f"In {node}")
        held = newcomer.post(f"/topics/{topics[node]}/replies", body=f"A reply in {node}")
        assert held.status_int == 202
    found = content(chief.get("/reviews", node_id=here))
    assert [(one["kind"], one["title"]) for one in found] == [
        ("held", f"In {here}"),
        ("held", "A title"),
    ]
    assert len(content(chief.get("/reviews"))) == 4


def test_a_held_post_leaves_no_trace_for_others(
    strict: Forum, newcomer: Person, chief: Person
) -> None:
    node = strict.node()
    author = strict.person("author", role="vip")
    topic = content(open_topic(author, node, "Question"))["id"]
    before = rows(strict, Event.id)
    held = [hold_topic(newcomer, node)]
    answer = newcomer.post(f"/topics/{topic}/replies", body="Hello @author")
    assert answer.status_int == 202
    held.append(answer.json["held"]["id"])
    assert rows(strict, Topic.id) == [(topic,)]
    assert rows(strict, Reply.id) == rows(strict, Notification.id) == []
    [user] = [content(chief.get("/users/newcomer"))]
    assert (user["topics_count"], user["replies_count"]) == (0, 0)
    new = {one.type for one in rows(strict, Event.id, Event.type) if (one.id,) not in before}
    assert new == {"review.opened", "post.held"}
    assert [one["id"] for one in content(newcomer.get("/held"))] == held[::-1]
    assert [one["id"] for one in content(chief.get("/held", state="waiting"))] == held[::-1]
    assert content(author.get("/held")) == []
    assert author.get(f"/held/{held[0]}").status_int == 404
    assert author.delete(f"/held/{held[0]}").status_int == 404
    assert newcomer.get(f"/held/{held[0]}").json["body"] == "I am new"
    assert strict.nobody.get("/held").status_int == 401
    assert strict.nobody.get(f"/held/{held[0]}").status_int == 401


@pytest.mark.both_databases
def test_an_approved_topic_is_written_at_that_moment(
    strict: Forum, newcomer: Person, chief: Person
) -> None:
    node = strict.node()
    hold_topic(newcomer, node, body="Hello @chief")
    assert content(chief.get("/reviews"))[0]["title"] == "Hello"
    answer = resolve_only(chief, "approve")
    assert answer.status_int == 200, answer.json
    [topic] = content(strict.nobody.get("/topics"))
    assert (topic["title"], topic["user"]["login"]) == ("Hello", "newcomer")
    assert content(newcomer.get("/users/me"))["topics_count"] == 1
    mentions = content(chief.get("/notifications"))
    assert [one["type"] for one in mentions] == ["Mention"]
    assert told(newcomer) == [("held_post.released", None)]
    assert content(newcomer.get("/held")) == []
    [held] = content(newcomer.get("/held", state="released"))
    assert (held["state"], held["topic_id"], held["body"]) == ("released", topic["id"], "")
    assert wrong_counters(strict) == []
    assert open_topic(newcomer, node, "Second").status_int == 201


@pytest.mark.both_databases
def test_an_approved_reply_comes_after_those_of_the_meantime(
    strict: Forum, newcomer: Person, chief: Person
) -> None:
    author = strict.person("author", role="vip")
    topic = content(open_topic(author, strict.node(), "Question"))["id"]
    newcomer.post(f"/topics/{topic}/replies", body="Held")
    between = content(author.post(f"/topics/{topic}/replies", body="Between"))["id"]
    assert resolve_only(chief, "approve").status_int == 200
    replies = content(strict.nobody.get(f"/topics/{topic}/replies"))
    assert [one["user"]["login"] for one in replies] == ["author", "newcomer"]
    assert replies[0]["id"] == between
    assert content(newcomer.get("/held", state="released"))[0]["reply_id"] == replies[1]["id"]
    assert content(author.get("/notifications"))[0]["type"] == "TopicReply"
    assert wrong_counters(strict) == []


def test_a_refused_post_is_never_published_and_its_author_is_told(
    strict: Forum, newcomer: Person, chief: Person
) -> None:
    hold_topic(newcomer, strict.node())
    assert resolve_only(chief, "delete", reason="Advertising").status_int == 200
    assert rows(strict, Topic.id) == []
    assert told(newcomer) == [("held_post.refused", "Advertising")]
    assert content(newcomer.get("/held", state="refused"))[0]["state"] == "refused"


@pytest.mark.both_databases
def test_only_one_of_two_contrary_decisions_counts(
    strict: Forum, newcomer: Person, chief: Person
) -> None:
    hold_topic(newcomer, strict.node())
    [review] = content(chief.get("/reviews"))
    path = f"/reviews/{review['id']}/resolve"
    assert chief.post(path, decision="approve").status_int == 200
    assert chief.post(path, decision="approve").status_int == 200
    assert chief.post(path, decision="delete").status_int == 412
    assert len(rows(strict, Topic.id)) == 1


@pytest.mark.parametrize("decision", ["hide", "dismiss"])
def test_what_is_not_published_can_only_be_approved_or_deleted(
    strict: Forum, newcomer: Person, chief: Person, decision: str
) -> None:
    hold_topic(newcomer, strict.node())
    refused = resolve_only(chief, decision)
    assert (refused.status_int, refused.json["error"].split(":")[0]) == (400, "decision")


def test_a_post_that_was_taken_back_cannot_be_published(
    strict: Forum, newcomer: Person, chief: Person
) -> None:
    held = hold_topic(newcomer, strict.node())
    assert chief.delete(f"/held/{held}").status_int == 403
    assert newcomer.delete(f"/held/{held}").json == {"ok": 1}
    assert newcomer.delete(f"/held/{held}").status_int == 403
    assert content(chief.get("/reviews")) == []
    shown = content(newcomer.get(f"/held/{held}"))
    assert (shown["state"], shown["body"]) == ("withdrawn", "")


@pytest.mark.both_databases
def test_of_a_decision_and_a_withdrawal_at_once_one_counts(
    strict: Forum, newcomer: Person, chief: Person
) -> None:
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


def test_a_post_stays_held_that_cannot_be_published_any_more(
    strict: Forum, newcomer: Person, chief: Person
) -> None:
    author = strict.person("author", role="vip")
    topic = content(open_topic(author, strict.node(), "Question"))["id"]
    newcomer.post(f"/topics/{topic}/replies", body="Held")
    chief.post(f"/topics/{topic}/action", type="close")
    refused = resolve_only(chief, "approve")
    assert (refused.status_int, "accepts no replies" in refused.json["error"]) == (400, True)
    chief.post(f"/topics/{topic}/action", type="open")
    chief.post(f"/users/{newcomer.id}/silence", reason="Spam", days=1)
    assert resolve_only(chief, "approve").status_int == 400
    assert content(newcomer.get("/held"))[0]["state"] == "waiting"
    assert wrong_counters(strict) == []


@pytest.mark.parametrize(
    "text", ["the best CASINO", "在线赌场", "![casino](https://example.org/x.png)"]
)
def test_a_word_holds_posts_of_all_but_moderators(strict: Forum, chief: Person, text: str) -> None:
    node = strict.node()
    vip = strict.person("vip", role="vip")
    held = open_topic(vip, node, body=text)
    assert (held.status_int, held.json["held"]["reason"]) == (
        202,
        "It holds a word that moderators look at.",
    )
    assert open_topic(chief, node, body=text).status_int == 201


def test_an_edit_cannot_add_a_word_that_holds_new_posts(strict: Forum, chief: Person) -> None:
    vip = strict.person("vip", role="vip")
    topic = content(open_topic(vip, strict.node()))["id"]
    reply = content(vip.post(f"/topics/{topic}/replies", body="Fine"))["id"]
    node = content(vip.get(f"/topics/{topic}"))["node_id"]
    changed = {"title": "Hello", "body": "Come to my casino", "node_id": node}
    assert vip.put(f"/topics/{topic}", **changed).status_int == 400
    assert vip.post(f"/replies/{reply}", body="casino").status_int == 400
    assert chief.put(f"/topics/{topic}", **changed).status_int == 200
    assert vip.put(f"/topics/{topic}", **{**changed, "title": "New"}).status_int == 200


def test_an_edit_is_judged_as_rendered_and_word_by_word(make_forum: MakeForum) -> None:
    words = {"posts.held_words": "casino, lottery"}
    forum = make_forum(**words)
    vip, chief = forum.person("vip", role="vip"), forum.person("chief", role="maintainer")
    node = forum.node()
    topic = content(open_topic(vip, node))["id"]
    reply = content(vip.post(f"/topics/{topic}/replies", body="Fine"))["id"]
    changed = {"title": "Hello", "node_id": node}
    assert vip.put(f"/topics/{topic}", **changed, body="ca**si**no").status_int == 400
    assert vip.post(f"/replies/{reply}", body="ca**si**no").status_int == 400
    assert chief.post(f"/replies/{reply}", body="A ca**si**no").status_int == 200
    assert vip.post(f"/replies/{reply}", body="That casino").status_int == 200
    refused = vip.post(f"/replies/{reply}", body="That casino, this lottery")
    assert (refused.status_int, refused.json["error"].split()[-1]) == (400, "lottery")


def test_links_of_a_newbie_are_held_where_the_settings_say_so(make_forum: MakeForum) -> None:
    limits = {"posts.newbie_max_links": "0", "posts.newbie_action": "hold"}
    forum = make_forum(**limits)
    newcomer = forum.person("newcomer")
    node = forum.node()
    text = "See https://shop.example"
    assert open_topic(newcomer, node, body=text).json["held"]["reason"].startswith("It has many")
    topic = content(open_topic(newcomer, node))["id"]
    refused = newcomer.put(f"/topics/{topic}", title="Hello", body=text, node_id=node)
    assert (refused.status_int, refused.json["error"].split(":")[0]) == (400, "body")
    assert newcomer.post(f"/topics/{topic}/replies", body=text).status_int == 201


@pytest.mark.both_databases
def test_a_retried_creation_is_held_once(strict: Forum, newcomer: Person) -> None:
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
def test_the_same_text_again_is_held_once_while_it_waits(make_forum: MakeForum) -> None:
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
def test_the_same_text_sent_at_once_is_held_once(strict: Forum, newcomer: Person) -> None:
    node = strict.node()
    callers = [alone(strict, newcomer) for _ in range(8)]
    sent = {"title": "Hello", "body": "I am new", "node_id": node}
    answers = together([partial(one.post, "/topics", **sent) for one in callers])
    assert statuses(answers) == {202: 8}
    assert len({answer.json["held"]["id"] for answer in answers}) == 1
    assert len(rows(strict, Review.id)) == 1


@pytest.mark.both_databases
def test_a_person_cannot_fill_the_queue(
    strict: Forum, newcomer: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(held_posts, "MAX_WAITING", 2)
    node = strict.node()
    for number in range(2):
        hold_topic(newcomer, node, title=f"Number {number}")
    refused = open_topic(newcomer, node)
    assert (refused.status_int, "wait for a moderator" in refused.json["error"]) == (400, True)


def test_the_keyed_shape_has_a_held_post_as_meta(make_forum: MakeForum) -> None:
    forum = make_forum(**HELD, **{"api.envelope": "keyed"})
    answer = open_topic(forum.person("newcomer"), forum.node())
    assert answer.status_int == 200
    held = answer.json["meta"]["held"]
    assert answer.json == {"topic": None, "reply": None, "meta": {"held": held}}
    assert held["state"] == "waiting"
