"""ETags and conditional requests: no stale 304, no lost update."""

from typing import Any

import pytest

from forumsvc.web.http_cache import etags
from tests.cases import each
from tests.functional.forum import Caller, Forum

READS = (
    "/topics",
    "/topics?node_id={node}",
    "/topics?ids={topic}",
    "/replies?ids={reply}",
    "/topics/{topic}",
    "/topics/{topic}/replies",
    "/replies/{reply}",
    "/nodes",
    "/nodes/{node}",
    "/site",
    "/users",
    "/users/alice",
    "/users/alice/topics",
    "/users/alice/replies",
    "/users/alice/followers",
    "/users/alice/following",
    "/users/alice/favorites",
)
OWN_READS = ("/hello", "/users/me", "/users/me/blocked", "/notifications")


class Scene:
    """A topic of alice with a reply."""

    def __init__(self, forum: Forum) -> None:
        self.forum = forum
        self.alice, self.bob = forum.person("alice"), forum.person("bob")
        self.mod = forum.person("mod", role="maintainer")
        self.node = forum.node()
        self.topic = forum.topic(self.alice, self.node)
        self.reply = forum.reply(self.alice, self.topic)

    def path(self, template: str) -> str:
        """Return a path with the ids filled in."""
        return template.format(node=self.node, topic=self.topic, reply=self.reply)

    def edit(self, who: Caller, tag: str | None = None, **changed: Any) -> Any:
        """Edit the topic, if it has this ETag."""
        form = {"title": "T", "node_id": self.node, "body": "B", **changed}
        headers = {} if tag is None else {"If-Match": tag}
        return who.call("PUT", f"/topics/{self.topic}", form, headers=headers)


@pytest.fixture
def scene(forum: Forum) -> Scene:
    return Scene(forum)


def again(caller: Caller, path: str, tag: str) -> Any:
    """Read with If-None-Match."""
    return caller.call("GET", path, headers={"If-None-Match": tag})


@each("template", READS)
def test_an_unchanged_response_is_not_sent_again(scene, template):
    path = scene.path(template)
    for caller in (scene.forum.nobody, scene.bob):
        first = caller.get(path)
        second = again(caller, path, first.headers["ETag"])
        assert (second.status_int, second.body) == (304, b"")
        assert second.headers["ETag"] == first.headers["ETag"]
        assert again(caller, path, '"another"').status_int == 200


@each("path", OWN_READS)
def test_an_unchanged_private_response_is_not_sent_again(scene, path):
    tag = scene.alice.get(path).headers["ETag"]
    assert again(scene.alice, path, tag).status_int == 304


def test_lists_of_etags_weak_ones_and_a_star_are_understood_in_reads_and_no_weak_one_in_edits(
    scene,
):
    tag = scene.bob.get("/topics").headers["ETag"]
    for known in (f'"x", {tag}', f"W/{tag}", "*"):
        assert again(scene.bob, "/topics", known).status_int == 304, known
    tag = scene.alice.get(f"/topics/{scene.topic}").headers["ETag"]
    statuses = [scene.edit(scene.alice, known).status_int for known in (f"W/{tag}", tag, "*")]
    assert statuses == [412, 200, 200]


def test_abilities_are_part_of_the_etag(scene):
    path = f"/topics/{scene.topic}"
    tags = {who.get(path).headers["ETag"] for who in (scene.alice, scene.bob, scene.mod)}
    assert len(tags) == 3
    before = scene.bob.get(path).headers["ETag"]
    scene.forum.change(scene.bob.id, state="blocked")
    assert scene.bob.get(path).headers["ETag"] != before


@each("what", ["users/alice/block", "nodes/{node}/mute"])
def test_a_list_without_blocked_users_or_muted_nodes_has_another_etag(scene, what):
    everybodys = scene.bob.get("/topics").headers["ETag"]
    assert everybodys == scene.forum.nobody.get("/topics").headers["ETag"]
    assert scene.bob.post(f"/{what}".format(node=scene.node)).status_int == 200
    answer = again(scene.bob, "/topics", everybodys)
    assert (answer.status_int, answer.json) == (200, [])
    undo = what.replace("/mute", "/unmute").replace("/block", "/unblock")
    scene.bob.post(f"/{undo}".format(node=scene.node))
    assert again(scene.bob, "/topics", everybodys).status_int == 304


def test_the_list_of_nodes_is_not_sent_again_after_a_reply_and_is_after_a_topic(scene):
    for caller in (scene.forum.nobody, scene.bob):
        tag = caller.get("/nodes").headers["ETag"]
        scene.forum.reply(scene.bob, scene.topic)
        assert again(caller, "/nodes", tag).status_int == 304
        scene.forum.topic(scene.bob, scene.node)
        assert again(caller, "/nodes", tag).status_int == 200


def test_reading_a_topic_changes_its_hits_and_not_its_etag(scene):
    path = f"/topics/{scene.topic}"
    first, second = scene.forum.nobody.get(path), scene.forum.nobody.get(path)
    assert second.json["hits"] == first.json["hits"] + 1
    assert second.headers["ETag"] == first.headers["ETag"]
    assert again(scene.forum.nobody, path, first.headers["ETag"]).status_int == 304
    assert scene.forum.nobody.get(path).json["hits"] == first.json["hits"] + 3


def test_a_change_with_an_outdated_etag_fails(scene):
    tag = scene.alice.get(f"/topics/{scene.topic}").headers["ETag"]
    done = scene.edit(scene.alice, tag, title="New")
    assert (done.status_int, done.json["title"]) == (200, "New")
    late = scene.edit(scene.alice, tag, title="Late")
    outdated = {"error": "If-Match: this has changed since you read it."}
    assert (late.status_int, late.json) == (412, outdated)
    assert scene.alice.get(f"/topics/{scene.topic}").json["title"] == "New"
    path = f"/replies/{scene.reply}"
    tag = scene.alice.get(path).headers["ETag"]
    scene.mod.post(path, body="Moderated")
    for method in ("POST", "DELETE"):
        late = scene.alice.call(method, path, {"body": "Mine"}, headers={"If-Match": tag})
        assert late.status_int == 412
    assert scene.alice.get(path).json["body"] == "Moderated"


def test_the_precondition_comes_after_permission_and_parameters(scene):
    assert scene.edit(scene.bob, '"never"').status_int == 403
    assert scene.edit(scene.alice, '"never"', title="").status_int == 400
    assert scene.edit(scene.alice, '"never"').status_int == 412


def test_in_the_keyed_envelope_meta_changes_the_etag(scene, make_forum):
    keyed = make_forum(api__envelope="keyed", site__url="http://localhost")
    alice, bob = keyed.caller(scene.alice.token), keyed.caller(scene.bob.token)
    path = f"/topics/{scene.topic}"
    tag = bob.get(path).headers["ETag"]
    assert again(bob, path, tag).status_int == 304
    bob.post(f"{path}/follow")
    answer = again(bob, path, tag)
    assert (answer.status_int, answer.json["meta"]["followed"]) == (200, True)
    tag = alice.get(path).headers["ETag"]
    form = {"title": "New", "node_id": scene.node, "body": "New"}
    assert alice.call("PUT", path, form, headers={"If-Match": tag}).status_int == 200
    assert alice.call("PUT", path, form, headers={"If-Match": tag}).status_int == 412


def test_shared_caches_may_store_anonymous_responses_only(scene):
    def control(caller: Caller, path: str) -> tuple[str, str]:
        headers = caller.get(path).headers
        return headers["Cache-Control"], headers["Vary"]

    assert control(scene.forum.nobody, "/topics") == ("no-cache", "Authorization")
    assert control(scene.bob, "/topics") == ("private, no-cache", "Authorization")
    by_query = scene.forum.nobody.get("/topics", access_token=scene.bob.token)
    assert by_query.headers["Cache-Control"] == "private, no-cache"
    assert scene.forum.nobody.get("/topics/999999").headers["Cache-Control"] == "no-store"


def test_another_base_url_has_other_etags(scene):
    def read(host: str) -> tuple[str, str]:
        answer = scene.forum.nobody.call("GET", "/topics", headers={"Host": host})
        return answer.headers["ETag"], answer.json[0]["user"]["avatar_url"]

    (one, picture), (other, elsewhere) = read("a.example"), read("b.example")
    assert one != other
    assert (picture, elsewhere) == (
        "http://a.example/avatars/alice.svg",
        "http://b.example/avatars/alice.svg",
    )
    assert read("a.example") == (one, picture)


@pytest.mark.parametrize("kind", ["topic", "reply"])
def test_an_edit_succeeds_though_another_user_was_renamed(scene, kind):
    path = scene.path("/topics/{topic}" if kind == "topic" else "/replies/{reply}")
    form = {"title": "T", "node_id": scene.node} if kind == "topic" else {}
    read = scene.alice.get(path).headers["ETag"]
    assert scene.bob.call("PUT", "/users/me", {"name": "Robert"}).status_int == 200
    assert again(scene.alice, path, read).status_int == 200
    answers = [
        scene.alice.call(
            "POST", path, {**form, "body": text}, headers={"If-Match": read}
        ).status_int
        for text in ("Mine", "Mine again")
    ]
    assert answers == [200, 412]


@pytest.mark.both_databases
@pytest.mark.parametrize("envelope", ["bare", "keyed"])
def test_100_of_100_edits_succeed_beside_likes_and_replies(scene, make_forum, envelope):
    forum = make_forum(api__envelope=envelope, site__url="http://localhost")
    alice, bob = forum.caller(scene.alice.token), forum.caller(scene.bob.token)
    reads = {"topic": f"/topics/{scene.topic}", "reply": f"/replies/{scene.reply}"}
    tags = {kind: alice.get(path).headers["ETag"] for kind, path in reads.items()}
    for number in range(50):
        for kind in reads:
            like = {"obj_type": kind, "obj_id": getattr(scene, kind)}
            assert bob.call("DELETE" if number % 2 else "POST", "/likes", like).status_int == 200
        bob.post(f"/topics/{scene.topic}/replies", body="B")
        form = {"title": f"T{number}", "node_id": scene.node, "body": f"B{number}"}
        for kind, path in reads.items():
            edited = alice.call("POST", path, form, headers={"If-Match": tags[kind]})
            assert edited.status_int == 200, (number, kind)
            tags[kind] = edited.headers["ETag"]


def test_the_state_of_a_topic_is_what_is_edited_too(scene):
    path = f"/topics/{scene.topic}"
    for kind in ("close", "open", "excellent", "unexcellent", "ban", "unban"):
        before = scene.mod.get(path).headers["ETag"]
        done = scene.mod.post(f"{path}/action", type=kind)
        assert again(scene.mod, path, done.headers["ETag"]).status_int == 200, kind
        statuses = [scene.edit(scene.mod, tag).status_int for tag in (before, done.headers["ETag"])]
        assert statuses == [412, 200], kind


def test_an_edit_that_was_taken_back_is_an_edit(scene):
    before, same = (scene.edit(scene.alice).headers["ETag"] for _ in range(2))
    assert same == before, "nothing was edited"
    for body in ("Another", "B"):
        assert scene.edit(scene.mod, body=body).status_int == 200
    assert scene.edit(scene.alice, before, body="C").status_int == 412


@pytest.mark.both_databases
@pytest.mark.parametrize("where", ["/nodes", "/sections"])
def test_an_admin_who_asks_for_it_overwrites_no_other_admins_change(forum, where):
    root = forum.person("root", role="admin", scope="read write admin")
    made = root.post(where, name="One")
    path, before = f"{where}/{made.json['id']}", {"If-Match": made.headers["ETag"]}
    assert again(root, path, made.headers["ETag"]).status_int == 304
    done = root.call("PUT", path, {"sort": 3}, headers=before)
    assert root.call("PUT", path, {"sort": 4}, headers=before).status_int == 412
    assert root.call("DELETE", path, headers=before).status_int == 412
    assert root.call("DELETE", path, headers={"If-Match": done.headers["ETag"]}).status_int == 200


WRITES = {
    "a new topic": ("POST", "/topics", {"title": "T", "node_id": "{node}", "body": "B"}),
    "an edited topic": ("PUT", "/topics/{topic}", {"title": "T", "node_id": "{node}", "body": "B"}),
    "a new reply": ("POST", "/topics/{topic}/replies", {"body": "B"}),
    "an edited reply": ("POST", "/replies/{reply}", {"body": "N"}),
    "a profile": ("PUT", "/users/me", {"bio": "B"}),
}


@pytest.mark.both_databases
@pytest.mark.parametrize("envelope", ["bare", "keyed"])
@pytest.mark.parametrize("written", WRITES)
def test_the_answer_to_a_write_has_the_etag_of_the_next_read(scene, make_forum, envelope, written):
    forum = make_forum(api__envelope=envelope, site__url="http://localhost")
    alice = forum.caller(scene.alice.token)
    method, path, template = WRITES[written]
    form = {name: scene.path(value) for name, value in template.items()}
    done = alice.call(method, scene.path(path), form)
    tag = done.headers["ETag"]
    where = done.headers.get("Location", scene.path(path)).removeprefix("http://localhost/api/v3")
    assert again(alice, where, tag).status_int == 304
    edit = ("PUT", {"bio": "C"}) if where == "/users/me" else ("POST", {**form, "body": "C"})
    answers = [
        alice.call(edit[0], where, edit[1], headers={"If-Match": known}).status_int
        for known in (f'"other", {tag}', tag)
    ]
    assert answers == [200, 412]
    assert again(alice, where, tag).status_int == 200


def test_an_empty_if_match_is_400(scene):
    for empty in ("", " "):
        refused = scene.edit(scene.alice, empty, body="Mine")
        assert refused.status_int == 400
        assert refused.json == {"error": "If-Match: must be the ETag of what you have read, or *"}
    assert scene.alice.get(f"/topics/{scene.topic}").json["body"] != "Mine"


def test_an_etag_changes_with_every_module_of_the_software():
    modules = {str(path.relative_to(etags.PACKAGE)) for path in etags.PACKAGE.rglob("*.py")}
    assert {"__init__.py", "presenters/topics.py", "queries/topics.py", "clock.py"} <= modules
