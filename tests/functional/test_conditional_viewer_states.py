"""Entity tags of responses that depend on the caller: viewer states, likes, notifications."""

from typing import Any

import pytest

from tests.cases import each
from tests.functional.conftest import MakeForum
from tests.functional.forum import Caller, Forum, content


class Scene:
    """A topic of alice with a reply."""

    def __init__(self, forum: Forum) -> None:
        self.forum, self.alice, self.bob = forum, forum.person("alice"), forum.person("bob")
        self.node = forum.node()
        self.topic = forum.topic(self.alice, self.node)
        self.reply = forum.reply(self.alice, self.topic)


@pytest.fixture(params=["bare", "keyed"])
def scene(request: pytest.FixtureRequest, make_forum: MakeForum) -> Scene:
    return Scene(make_forum(api__envelope=request.param, notifications__read_on_open="off"))


def read(caller: Caller, path: str, tag: str | None = None, **parameters: Any) -> Any:
    """Read, with If-None-Match if there is an ETag."""
    headers = {} if tag is None else {"If-None-Match": tag}
    return caller.call("GET", path, parameters, headers=headers)


LIKED = {"topic": ("/topics", "/topics/{topic}"), "reply": ("/replies/{reply}",)}
LIKED["reply"] += ("/topics/{topic}/replies", "/users/alice/replies")


@each("kind", LIKED)
def test_a_new_state_changes_the_etag_of_its_caller_only(scene, kind):
    names = {"topic": scene.topic, "reply": scene.reply}
    paths = [path.format(**names) for path in LIKED[kind]]
    others = (scene.alice, scene.forum.nobody)
    tags = []
    for path in paths:
        for caller in (*others, scene.bob):
            tag = read(caller, path, include="state").headers["ETag"]
            assert read(caller, path, tag, include="state").status_int == 304, path
        tags.append(tag)
    liked = scene.bob.post("/likes", obj_type=kind, obj_id=names[kind])
    assert liked.status_int == 200
    for path, tag in zip(paths, tags, strict=True):
        answer = read(scene.bob, path, tag, include="state")
        assert answer.status_int == 200, path
        assert '"liked":true' in answer.text, path
        for other in others:
            answer = read(other, path, include="state")
            assert '"liked":false' in answer.text, path
            assert '"likes_count":1' in answer.text, path


def test_a_page_cached_for_one_user_is_not_sent_to_another(scene):
    path = f"/topics/{scene.topic}"
    scene.bob.post(f"{path}/follow")
    for _ in range(2):
        for caller, followed in ((scene.forum.nobody, False), (scene.bob, True)):
            for where in (path, "/topics"):
                text = read(caller, where, include="state").text
                assert f'"followed":{str(followed).lower()}' in text
        assert '"state"' not in read(scene.forum.nobody, path).text


def test_a_new_state_does_not_fail_if_match(scene):
    form: dict[str, Any] = {"title": "New", "node_id": scene.node, "body": "New"}
    path = f"/topics/{scene.topic}"
    for parameters in ({}, {"include": "state"}):
        tag = read(scene.alice, path, **parameters).headers["ETag"]
        edited = scene.alice.call("PUT", path, form, headers={"If-Match": tag})
        assert edited.status_int == 200, parameters
        assert "state" not in edited.json
        form["body"] += "er"
        late = scene.alice.call("PUT", path, form, headers={"If-Match": tag})
        assert late.status_int == 412, parameters
        late = scene.alice.call("PATCH", path, {"title": "Late"}, headers={"If-Match": tag})
        assert late.status_int == 412, parameters


def test_a_poll_without_new_notifications_gets_304(scene):
    scene.bob.post("/users/alice/follow")
    [newest] = content(scene.alice.get("/notifications", since=0))
    parameters = {"since": newest["id"]}
    tag = read(scene.alice, "/notifications", **parameters).headers["ETag"]
    scene.alice.post("/notifications/read", ids=newest["id"])
    assert read(scene.alice, "/notifications", tag, **parameters).status_int == 304
    scene.bob.post(f"/topics/{scene.topic}/replies", body="B")
    assert read(scene.alice, "/notifications", tag, **parameters).status_int == 200
