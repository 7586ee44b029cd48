"""Topics and replies: what rows of tests/functional/api cannot say."""

import pytest
from sqlalchemy import delete, update

from forumsvc.models import AuditRecord, Event, Node, Notification, Reply, Topic
from forumsvc.web.api.operator import ENVIRON_KEY, Operator
from tests.functional.recounting import drift
from tests.functional.statements import of_request
from tests.functional.test_requests_encoding import JSON, send

pytestmark = pytest.mark.usefixtures("advancing_clock")


def test_a_node_that_is_not_there_is_400_and_nothing_is_half_done(forum, alice, chief):
    gone, node = forum.node("Gone"), forum.node("Left")
    with forum.database.session.begin() as db:
        db.execute(delete(Node).where(Node.id == gone))
    topic = forum.topic(alice, node)
    shown = alice.get(f"/topics/{topic}").json
    # In the order of the ids one of the two is looked at before the topic's own node.
    for missing in (gone, node + 1):
        error = {"error": "node_id: there is no such node"}
        sent = {"title": "New", "node_id": missing, "body": "For @chief"}
        for answer in (alice.post("/topics", **sent), alice.put(f"/topics/{topic}", **sent)):
            assert (answer.status_int, answer.json) == (400, error)
    assert {**alice.get(f"/topics/{topic}").json, "hits": 0} == {**shown, "hits": 0}
    assert (forum.count(Topic), forum.count(Notification)) == (1, 0)
    assert drift(forum.database) == []
    chief.post(f"/topics/{topic}/action?type=ban")
    hidden = chief.put(f"/topics/{topic}", title="New", node_id=gone, body="B")
    assert (hidden.status_int, hidden.json) == (400, {"error": "node_id: there is no such node"})


@pytest.mark.parametrize("stored", ["a\n\nb", "a\r\n\r\nb", "a\r\rb"])
def test_an_edit_of_line_ends_alone_changes_nothing(forum, alice, node, stored):
    topic = forum.topic(alice, node, body="a\r\n\r\nb")
    reply = forum.reply(alice, topic, body="a\r\n\r\nb")
    assert alice.get(f"/replies/{reply}").json["body"] == "a\n\nb"
    with forum.database.session.begin() as db:
        db.execute(update(Topic).values(body=stored))
        db.execute(update(Reply).values(body=stored))
    paths = (f"/topics/{topic}", f"/replies/{reply}")
    shown = [alice.get(path).json["updated_at"] for path in paths]
    events = forum.count(Event)
    for body in ("a\r\n\r\nb", "a\n\nb", "a\r\rb"):
        edited = (
            alice.put(paths[0], title="A title", node_id=node, body=body),
            alice.post(paths[1], body=body),
        )
        assert [answer.json["updated_at"] for answer in edited] == shown
    assert forum.count(Event) == events


def test_a_hidden_topic_is_taken_from_all_counters_of_its_users_at_once(forum, bob, chief, node):
    topic = forum.topic(chief, node)
    forum.reply(bob, topic)
    bob.post(f"/topics/{topic}/favorite")
    forum.reply(chief, topic, "An answer to @bob")
    assert bob.get("/notifications/unread_count").json == {"count": 1}
    hidden = of_request(forum, chief, "DELETE", f"/topics/{topic}")
    assert len([text for text in hidden.texts if text.startswith("UPDATE users")]) == 1
    assert drift(forum.database) == []


@pytest.mark.parametrize("is_closed", [False, True])
def test_an_author_cannot_open_a_topic_that_the_operator_has_closed(forum, alice, topic, is_closed):
    path = f"/topics/{topic}/action?type="
    if is_closed:
        assert alice.post(f"{path}close").status_int == 200
    for _ in range(3):
        environ = {ENVIRON_KEY: Operator("ops")}
        closed = forum.nobody.call("POST", f"{path}close", extra_environ=environ)
        assert closed.status_int == 200
    assert alice.get(f"/topics/{topic}").json["abilities"]["open"] is False
    assert alice.post(f"{path}open").status_int == 403
    assert forum.count(AuditRecord) == 1


def test_a_pair_of_surrogates_is_a_character_and_half_of_one_is_refused(forum, alice, node):
    body = f'{{"title": "\\ud83d\\ude00", "body": "B", "node_id": {node}}}'
    made = send(alice, "POST", "/topics", body, JSON)
    assert made.json["title"] == "\N{GRINNING FACE}"
    for field in ("title", "body"):
        sent = {"title": "T", "node_id": node, "body": "B", field: "a\ud800b"}
        for method, path in (("POST", "/topics"), ("PUT", f"/topics/{made.json['id']}")):
            answer = alice.call(method, path, json=sent)
            assert (answer.status_int, answer.json["error"].split(":")[0]) == (400, field)
    assert forum.count(Topic) == 1


LONGEST = {"title": 255, "body": 65_536}


@pytest.mark.parametrize("field", LONGEST)
def test_the_longest_text_is_taken_and_a_longer_one_refused(alice, node, field):
    # Of the widest characters, and in lines: how long a text renders is no matter here.
    longest = ("\N{GRINNING FACE}" * 63 + "\n" if field == "body" else "\u4e2d") * 2000
    longest = longest[: LONGEST[field]]
    sent = {"title": "T", "node_id": node, "body": "B", field: longest}
    assert alice.call("POST", "/topics", json=sent).json[field] == longest
    refused = alice.call("POST", "/topics", json={**sent, field: longest + "x"})
    text = f"{field}: must have at most {len(longest)} characters, and has {len(longest) + 1}"
    assert (refused.status_int, refused.json) == (400, {"error": text})
