"""Slow work is done for authorized requests only, and without a lock."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import pytest
from sqlalchemy import select, update

from forumsvc import clock
from forumsvc.models import Reply, Topic, User, UserState
from forumsvc.sandbox import CpuLimitError, PoolBusyError
from forumsvc.services.accounts import accounts
from tests.databases import on_postgresql, on_sqlite
from tests.functional.forum import Caller, Forum, Person
from tests.functional.statements import counting

TEXT = "a *text*"


@dataclass
class Scene:
    """A topic and a closed topic of alice's, a reply of hers in each."""

    forum: Forum
    alice: Person
    bob: Person
    node: int
    topic: int
    closed: int
    reply: int

    @property
    def callers(self) -> dict[str, Caller]:
        """Callers that are refused because of their level."""
        blocked = self.forum.person("blocked")
        self.forum.change(blocked.id, state="blocked")
        reader = self.forum.caller(self.forum.token(self.bob.id, scope="read"))
        client = self.forum.caller(self.forum.token(None))
        return {
            "alice": self.alice,
            "bob": self.bob,
            "nobody": self.forum.nobody,
            "blocked": blocked,
            "reader": reader,
            "client": client,
        }

    def send(self, who: str, what: str) -> Any:
        method, path, params = REQUESTS[what](self)
        return self.callers[who].call(method, path, params)


@pytest.fixture
def scene(forum: Forum) -> Scene:
    alice, node = forum.person("alice"), forum.node()
    topic, closed = forum.topic(alice, node), forum.topic(alice, node)
    reply = forum.reply(alice, topic)
    assert alice.post(f"/topics/{closed}/action?type=close").status_int == 200
    return Scene(forum, alice, forum.person("bob"), node, topic, closed, reply)


Request = tuple[str, str, dict[str, Any]]
REQUESTS: dict[str, Callable[[Scene], Request]] = {
    "open a topic": lambda s: ("POST", "/topics", s_topic(s)),
    "open a topic without a title": lambda s: ("POST", "/topics", {"body": TEXT}),
    "open a topic nowhere": lambda s: ("POST", "/topics", s_topic(s) | {"node_id": s.node + 99}),
    "edit a topic": lambda s: ("PUT", f"/topics/{s.topic}", s_topic(s)),
    "change the title": lambda s: ("PATCH", f"/topics/{s.topic}", {"title": "New"}),
    "change the text": lambda s: ("PATCH", f"/topics/{s.topic}", {"body": TEXT}),
    "edit a topic without a title": lambda s: ("PUT", f"/topics/{s.topic}", {"body": TEXT}),
    "edit no topic": lambda s: ("PUT", "/topics/999999", s_topic(s)),
    "reply": lambda s: ("POST", f"/topics/{s.topic}/replies", {"body": TEXT}),
    "reply to a closed topic": lambda s: ("POST", f"/topics/{s.closed}/replies", {"body": TEXT}),
    "reply with a wrong method": lambda s: ("PUT", f"/topics/{s.topic}/replies", {"body": TEXT}),
    "edit a reply": lambda s: ("POST", f"/replies/{s.reply}", {"body": TEXT}),
    "follow with a text": lambda s: ("POST", f"/topics/{s.topic}/follow", {"body": TEXT}),
    "delete a topic": lambda s: ("DELETE", f"/topics/{s.topic}", {}),
    "delete a reply": lambda s: ("DELETE", f"/replies/{s.reply}", {}),
    "ban": lambda s: ("POST", f"/topics/{s.topic}/action?type=ban", {}),
    "follow": lambda s: ("POST", f"/topics/{s.topic}/follow", {}),
    "follow a user": lambda s: ("POST", f"/users/{s.alice.id}/follow", {}),
    "like a reply": lambda s: ("POST", "/likes", {"obj_type": "reply", "obj_id": s.reply}),
    "unlike a reply": lambda s: ("DELETE", "/likes", {"obj_type": "reply", "obj_id": s.reply}),
}


def s_topic(scene: Scene) -> dict[str, Any]:
    return {"title": "T", "node_id": scene.node, "body": TEXT}


NOT_RENDERED = [
    ("nobody", "reply", 401),
    ("blocked", "reply", 403),
    ("reader", "reply", 403),
    ("bob", "open a topic without a title", 400),
    ("bob", "open a topic nowhere", 400),
    ("bob", "edit a topic", 403),
    ("bob", "change the text", 403),
    ("alice", "change the title", 200),
    ("bob", "edit no topic", 404),
    ("alice", "edit a topic without a title", 400),
    ("bob", "reply to a closed topic", 403),
    ("bob", "reply with a wrong method", 405),
    ("bob", "edit a reply", 403),
    ("bob", "follow with a text", 200),
]


@pytest.mark.parametrize(("who", "what", "status"), NOT_RENDERED)
def test_nothing_is_rendered_for_a_request_that_a_cheaper_check_refuses(scene, who, what, status):
    stats = scene.forum.registry.authoring.renderer.stats
    before = stats.rendered
    assert scene.send(who, what).status_int == status
    assert stats.rendered == before


def test_nothing_is_rendered_for_words_that_are_forbidden_as_they_are_typed(make_forum):
    forum = make_forum(posts__forbidden_words="spam")
    bob, node = forum.person("bob"), forum.node()
    answers = [
        bob.post("/topics", title=title, node_id=node, body=body)
        for title, body in (("spam", "b"), ("t", "spam"))
    ]
    assert [answer.status_int for answer in answers] == [400, 400]
    assert forum.registry.authoring.renderer.stats.rendered == 0


def test_a_request_that_is_answered_again_is_not_rendered_again(scene):
    stats = scene.forum.registry.authoring.renderer.stats
    path, headers = f"/topics/{scene.topic}/replies", {"Idempotency-Key": "one"}
    first = scene.bob.call("POST", path, {"body": TEXT}, headers=headers)
    before = stats.rendered
    again = scene.bob.call("POST", path, {"body": TEXT}, headers=headers)
    other = scene.bob.call("POST", path, {"body": "other"}, headers=headers)
    assert (first.body, again.status_int, other.status_int) == (again.body, 201, 422)
    assert stats.rendered == before


REFUSED = [
    *(("blocked", what) for what in ("reply", "like a reply", "follow", "follow a user")),
    *(("client", what) for what in ("unlike a reply", "ban")),
    *(("bob", what) for what in ("delete a topic", "delete a reply", "ban", "edit a topic")),
    ("bob", "reply to a closed topic"),
]


@on_postgresql
@pytest.mark.parametrize(("who", "what"), REFUSED)
def test_who_may_not_takes_no_lock(scene, who, what):
    callers = scene.callers
    method, path, params = REQUESTS[what](scene)
    with counting(scene.forum.registry.database) as seen:
        assert callers[who].call(method, path, params).status_int == 403
    assert [text for text in seen.texts if "FOR NO KEY UPDATE" in text] == []


@on_sqlite
@pytest.mark.parametrize(("who", "what"), REFUSED[::4])
def test_who_may_not_waits_for_no_other_writer(scene, who, what):
    callers = scene.callers
    method, path, params = REQUESTS[what](scene)
    path_of_file = str(scene.forum.database.url.database)
    with closing(sqlite3.connect(path_of_file, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert callers[who].call(method, path, params).status_int == 403


def test_a_like_of_a_reply_locks_no_topic(scene):
    method, path, params = REQUESTS["unlike a reply"](scene)
    with counting(scene.forum.registry.database) as seen:
        assert scene.bob.call(method, path, params).status_int == 200
    assert [text for text in seen.texts if "FOR NO KEY UPDATE" in text] == []


def _during_rendering(
    scene: Scene, monkeypatch: pytest.MonkeyPatch, model: Any, row_id: int, **columns: Any
) -> None:
    """Set columns of a row, in another transaction, while a text is rendered.

    This would wait in vain if the request held a lock meanwhile.
    """
    renderer = scene.forum.registry.authoring.renderer
    render = renderer.render

    def rendering(*texts: Any, **named: Any) -> Any:
        with scene.forum.database.session.begin() as db:
            db.execute(update(model).where(model.id == row_id).values(**columns))
        return render(*texts, **named)

    monkeypatch.setattr(renderer, "render", rendering)


@pytest.mark.parametrize("what", ["reply", "edit a topic", "edit a reply"])
def test_what_was_deleted_while_a_text_was_rendered_is_not_there(scene, monkeypatch, what):
    _during_rendering(scene, monkeypatch, Topic, scene.topic, deleted_at=clock.now())
    answer = scene.send("alice", what)
    assert (answer.status_int, answer.json["error"]) == (404, "There is nothing here.")


def test_a_title_that_was_changed_while_a_text_was_rendered_stays(scene, monkeypatch):
    _during_rendering(scene, monkeypatch, Topic, scene.topic, title="Meanwhile")
    answer = scene.send("alice", "change the text")
    assert (answer.json["title"], answer.json["body"]) == ("Meanwhile", TEXT)


def test_a_topic_that_was_closed_while_a_text_was_rendered_takes_no_reply(scene, monkeypatch):
    _during_rendering(scene, monkeypatch, Topic, scene.topic, closed_at=clock.now())
    answer = scene.send("bob", "reply")
    assert answer.status_int == 403
    assert answer.json["error"] == "This topic is closed: it takes no more replies."


@pytest.mark.parametrize("state", [UserState.DELETED, UserState.BLOCKED])
@pytest.mark.parametrize(
    ("who", "what"),
    [
        ("bob", "reply"),
        ("alice", "reply"),
        ("alice", "open a topic"),
        ("alice", "edit a topic"),
        ("alice", "edit a reply"),
    ],
)
def test_who_was_erased_or_blocked_while_a_text_was_rendered_writes_nothing(
    scene, monkeypatch, who, what, state
):
    _during_rendering(scene, monkeypatch, User, getattr(scene, who).id, state=state)
    answer = scene.send(who, what)
    assert answer.status_int == 403
    assert answer.json["error"] == "Your account may not write any more."
    assert (scene.forum.count(Topic), scene.forum.count(Reply)) == (2, 1)
    with scene.forum.database.reads.connect() as db:
        assert TEXT not in db.scalars(select(Topic.body).union_all(select(Reply.body))).all()


def test_those_who_are_notified_may_be_blocked(scene):
    carol = scene.forum.person("carol")
    carol.post(f"/topics/{scene.topic}/follow")
    for person in (scene.alice, carol):
        scene.forum.change(person.id, state=UserState.BLOCKED)
    path = f"/topics/{scene.topic}/replies"
    assert scene.bob.post(path, body="@alice and @carol").status_int == 201


def test_no_password_is_hashed_for_a_login_or_e_mail_that_is_taken(make_forum, monkeypatch):
    forum = make_forum(accounts__registration="open")
    sent = {"login": "alice", "email": "alice@example.org", "password": "a long pass phrase"}
    assert forum.nobody.post("/users", **sent).status_int == 201

    def refuse(password: str) -> str:
        raise AssertionError("a password was hashed")

    monkeypatch.setattr(accounts, "hash_password", refuse)
    for other in ({"email": "other@example.org"}, {"login": "other"}):
        answer = forum.nobody.post("/users", **{**sent, **other})
        assert (answer.status_int, "is taken" in answer.json["error"]) == (400, True)


def test_an_author_whose_rendering_time_is_used_up_learns_when_to_come_back(scene):
    budget = scene.forum.registry.authoring.budget
    with budget.acquire(scene.bob.id) as used:
        used(30)
    stats = scene.forum.registry.authoring.renderer.stats
    before = stats.rendered
    answer = scene.send("bob", "reply")
    wait = answer.headers["Retry-After"]
    assert (answer.status_int, 100 < int(wait) <= 120) == (429, True)
    assert answer.json == {
        "error": f"Your texts or images took too long. Try again in {wait} seconds."
    }
    assert stats.rendered == before
    method, path, params = REQUESTS["reply"](scene)
    assert scene.alice.call(method, path, params).status_int == 201


def test_a_text_costs_its_author_what_its_worker_used(scene):
    assert scene.send("bob", "reply").status_int == 201
    assert 0 < scene.forum.registry.authoring.budget._accounts[scene.bob.id].used_seconds < 1


def test_a_text_that_cannot_be_rendered_for_load_is_refused_and_not_stored(scene, monkeypatch):
    def busy(*args: Any) -> Any:
        raise PoolBusyError

    monkeypatch.setattr(scene.forum.registry.authoring.renderer, "_render_in_worker", busy)
    replies = scene.forum.count(Reply)
    answer = scene.send("bob", "reply")
    assert (answer.status_int, answer.headers["Retry-After"]) == (503, "10")
    assert scene.forum.count(Reply) == replies


def test_the_log_names_the_request_of_a_text_that_is_stored_unrendered(scene, monkeypatch, caplog):
    def stopped(*args: Any) -> Any:
        raise CpuLimitError

    monkeypatch.setattr(scene.forum.registry.authoring.renderer, "_render_in_worker", stopped)
    answer = scene.send("bob", "reply")
    assert answer.json["body_html"] == "<p>a *text*</p>"
    assert f"request {answer.headers['X-Request-Id']}, user {scene.bob.id}" in caplog.text
