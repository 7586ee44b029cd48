"""Entity tags of a user's notifications: a 304 stands only for the page that one has already."""

from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest

from forumsvc import clock
from forumsvc.dump import Archive, load_dump, write_dump
from forumsvc.models import Base, Section, SiteText
from forumsvc.queries import nodes, notifications
from forumsvc.services.accounts import admin_edit
from forumsvc.services.accounts.erasure import erasure
from forumsvc.services.accounts.erasure.erasure import PostsErasure
from tests import databases
from tests.cases import each
from tests.functional.conftest import MakeForum
from tests.functional.forum import Caller, Forum, Person
from tests.functional.rows import insert_row
from tests.functional.statements import counting, of_request

pytestmark = [pytest.mark.both_databases, pytest.mark.usefixtures("advancing_clock")]

TOKEN = 1
"""Loads the access token."""

LIST, COUNT = "/notifications", "/notifications/unread_count"
PATHS = (
    *(LIST, f"{LIST}?include=text", f"{LIST}?unread=true", f"{LIST}?type=Mention", COUNT),
    *(f"{LIST}?limit=1", f"{LIST}?limit=2&offset=2", f"{LIST}?since=1"),
)


@dataclass
class Scene:
    """A forum with a user who has a notification of each type.

    elsewhere: the user as a client of another process. bob answers and follows the user, whose
    topic `mine` was moved; eve mentions them in her topic `hers` and its `answer`, and opens
    `more`.
    """

    forum: Forum
    ann: Person
    bob: Person
    eve: Person
    root: Person
    elsewhere: Caller
    nodes: tuple[int, int]
    mine: int
    hers: int
    more: int
    reply: int
    answer: int

    def erase(self, user: Person, posts: PostsErasure) -> None:
        """Do the part of an erasure that does not wait for the worker."""
        with self.forum.database.session.begin() as db:
            erasure.erase_user(db, None, clock.now(), user.id, posts=posts, secret="s" * 32)

    def insert(self, model: type[Base], **columns: Any) -> int:
        with self.forum.database.session.begin() as db:
            return insert_row(db, model, **columns)

    def rename(self, user: Person, login: str) -> None:
        with self.forum.database.session.begin() as db:
            admin_edit.edit(db, clock.now(), user.login, new_login=login)


@pytest.fixture(params=["bare", "keyed"])
def scene(
    request: pytest.FixtureRequest, make_forum: MakeForum, monkeypatch: pytest.MonkeyPatch
) -> Scene:
    settings = {"api__envelope": request.param, "notifications__read_on_open": "off"}
    forum, other = make_forum(**settings), make_forum(**settings)
    # What this process reads is always made anew.
    monkeypatch.setattr(forum.registry.page_cache, "max_bytes", 0)
    ann, bob, eve = (forum.person(login) for login in ("ann", "bob", "eve"))
    root = forum.person("root", role="admin", scope="read write moderate admin")
    nodes = forum.node("One"), forum.node("Two")
    mine, hers = forum.topic(ann, nodes[0]), forum.topic(eve, nodes[0], body="For @ann")
    ok(ann.post("/users/eve/follow"))
    more = forum.topic(eve, nodes[0], title="More")
    reply, answer = forum.reply(bob, mine), forum.reply(eve, hers, "Also @ann")
    ok(bob.post("/users/ann/follow"))
    ok(root.put(f"/topics/{mine}", title="T", node_id=nodes[1], body="B"))
    ok(root.post("/users/ann/warn", reason="Be kind"))
    people = ann, bob, eve, root, Caller(other.app, ann.token)
    return Scene(forum, *people, nodes, mine, hers, more, reply, answer)


def ok(*answers: Any) -> None:
    for answer in answers:
        assert answer.status_int in (200, 201), answer.text


def edit(who: Person, topic: int, node: int, **changed: str) -> None:
    ok(
        who.put(
            f"/topics/{topic}", **{"title": "T", "node_id": node, "body": "For @ann", **changed}
        )
    )


def ids(scene: Scene) -> list[int]:
    shown = scene.ann.get(LIST).json
    return [one["id"] for one in (shown if isinstance(shown, list) else shown["notifications"])]


WRITES: dict[str, Callable[[Scene], Any]] = {
    "a follower": lambda s: ok(s.eve.post("/users/ann/follow")),
    "a reply": lambda s: s.forum.reply(s.eve, s.mine),
    "a mention": lambda s: s.forum.reply(s.bob, s.hers, "@ann"),
    "a topic of somebody followed": lambda s: s.forum.topic(s.eve, s.nodes[0]),
    "a warning": lambda s: ok(s.root.post("/users/ann/warn", reason="Again")),
    "a title is edited": lambda s: edit(s.eve, s.hers, s.nodes[0], title="New"),
    "a text is edited": lambda s: edit(s.eve, s.hers, s.nodes[0], body="Dear @ann"),
    "a reply is edited": lambda s: ok(s.bob.post(f"/replies/{s.reply}", body="Edited")),
    "a mention is edited": lambda s: ok(s.eve.post(f"/replies/{s.answer}", body="Hi @ann!")),
    "somebody replies to the topic": lambda s: s.forum.reply(s.bob, s.hers, "B"),
    "a topic is liked": lambda s: ok(s.bob.post("/likes", obj_type="topic", obj_id=s.hers)),
    "a reply is liked": lambda s: ok(s.eve.post("/likes", obj_type="reply", obj_id=s.reply)),
    "a topic is featured": lambda s: ok(s.root.post(f"/topics/{s.hers}/action?type=excellent")),
    "a topic is moved": lambda s: edit(s.root, s.hers, s.nodes[1]),
    "a node is renamed": lambda s: ok(s.root.put(f"/nodes/{s.nodes[1]}", name="New")),
    "a node is put in a section": lambda s: ok(
        s.root.put(f"/nodes/{s.nodes[1]}", section_id=s.insert(Section, id=1, name="First"))
    ),
    "a section is renamed": lambda s: ok(s.root.put("/sections/1", name="1st")),
    "a node has one topic more": lambda s: s.forum.topic(s.bob, s.nodes[1]),
    "an actor has another name": lambda s: ok(s.bob.put("/users/me", name="Bobby")),
    "an actor has another login": lambda s: s.rename(s.eve, "evelyn"),
    "an actor has an avatar": lambda s: s.forum.change(s.bob.id, avatar="00/0.png"),
    "the site has another name": lambda s: s.insert(SiteText, id=1, name="The Tea House"),
    "the user blocks an actor": lambda s: ok(s.ann.post("/users/bob/block")),
    "the user blocks another": lambda s: ok(s.ann.post("/users/evelyn/block")),
    "the user blocks nobody": lambda s: ok(
        s.ann.post("/users/bob/unblock"), s.ann.post("/users/evelyn/unblock")
    ),
    "an actor is erased": lambda s: s.erase(s.eve, PostsErasure.KEEP),
    "a reply is deleted": lambda s: ok(s.bob.delete(f"/replies/{s.reply}")),
    "a mention is deleted": lambda s: ok(s.root.delete(f"/replies/{s.answer}")),
    "a topic is deleted": lambda s: ok(s.root.delete(f"/topics/{s.hers}")),
    "a topic is hidden": lambda s: ok(s.root.post(f"/topics/{s.more}/action?type=ban", reason="R")),
    "a node is deleted": lambda s: ok(s.root.delete(f"/nodes/{s.nodes[1]}?move_to={s.nodes[0]}")),
    "one is read": lambda s: ok(s.ann.post(f"{LIST}/read", ids=ids(s)[-1])),
    "a topic is read": lambda s: ok(s.ann.post(f"/topics/{s.mine}/read")),
    "all are read": lambda s: ok(s.ann.post(f"{LIST}/read_all")),
    "one is deleted": lambda s: ok(s.ann.delete(f"{LIST}/{ids(s)[1]}")),
    "a read one is deleted": lambda s: ok(
        s.ann.post(f"{LIST}/read_all"), s.ann.delete(f"{LIST}/{ids(s)[0]}")
    ),
    "all but one are deleted": lambda s: ok(*(s.ann.delete(f"{LIST}/{id_}") for id_ in ids(s)[1:])),
    "all are deleted": lambda s: ok(s.ann.delete(f"{LIST}/all")),
}
"""What changes a page of the user's notifications, one after the other."""


def read(caller: Caller, path: str, tag: str | None = None) -> Any:
    return caller.call("GET", path, headers={} if tag is None else {"If-None-Match": tag})


def pages(caller: Caller) -> dict[str, Any]:
    return {path: read(caller, path) for path in PATHS}


def shown(answer: Any) -> tuple[str, str | None]:
    return answer.text, answer.headers.get("Link")


def check(scene: Scene, before: dict[str, Any]) -> set[str]:
    """Check what a client gets that has these pages; return the paths of those that are new."""
    after = pages(scene.ann)
    for path, page in before.items():
        answer = read(scene.elsewhere, path, page.headers["ETag"])
        if answer.status_int == 304:
            assert shown(after[path]) == shown(page), path
        else:
            assert shown(answer) == shown(after[path]), path
        now = read(scene.elsewhere, path, after[path].headers["ETag"])
        assert (now.status_int, now.body) == (304, b""), path
    return {path for path in before if shown(after[path]) != shown(before[path])}


@each("write", WRITES)
def test_a_page_that_a_write_changes_is_never_answered_304(scene, write):
    before = pages(scene.ann)
    WRITES[write](scene)
    assert check(scene, before)


def test_a_page_of_before_a_restore_is_never_taken_for_one_of_after_it(scene, tmp_path):
    database = scene.forum.database
    dump = tmp_path / "dump"
    write_dump(database, dump, secrets=True)
    at_the_dump = pages(scene.ann)
    scene.forum.reply(scene.bob, scene.hers, "@ann, lost with the disk")
    lost = pages(scene.ann)
    databases.delete_all_rows(database)
    load_dump(database, Archive(dump), trust_html=True)
    check(scene, at_the_dump)
    assert check(scene, lost)
    # It gets the numbers of the lost one.
    scene.forum.reply(scene.eve, scene.hers, "@ann, instead")
    assert check(scene, lost)


def test_a_new_role_of_the_reader_gives_the_tags_of_that_role(scene):
    before = pages(scene.ann)
    scene.forum.change(scene.ann.id, role="maintainer")
    check(scene, before)


def test_a_count_that_rises_while_a_page_is_made_and_falls_again_is_that_of_its_tag(
    scene, monkeypatch
):
    shows_node = f"{LIST}?type=NodeChanged"
    before = read(scene.ann, shows_node)
    opened: list[int] = []

    def load_late(*given: Any) -> Any:
        opened.append(scene.forum.topic(scene.bob, scene.nodes[1]))
        return nodes.by_ids(*given)

    with monkeypatch.context() as patch:
        patch.setattr(notifications, "nodes", SimpleNamespace(by_ids=load_late))
        meanwhile = read(scene.ann, shows_node)
    ok(*(scene.root.delete(f"/topics/{topic}") for topic in opened))
    assert len(opened) == 1
    assert shown(meanwhile) == shown(before)


def test_a_poll_reads_no_more_than_the_rows_of_the_list_where_nothing_is_new(scene):
    tags = {path: read(scene.ann, path).headers["ETag"] for path in PATHS}
    for path, tag in tags.items():
        with counting(scene.forum.registry.database) as sent:
            assert read(scene.ann, path, tag).status_int == 304, path
        assert len(sent) == TOKEN + (path != COUNT), path


def test_a_page_that_is_asked_for_again_is_not_made_again(forum):
    ann, bob = forum.person("ann"), forum.person("bob")
    forum.reply(bob, forum.topic(ann, forum.node()))
    page = read(ann, LIST)
    assert len(of_request(forum, ann, "GET", LIST)) == TOKEN + 1
    assert shown(read(ann, LIST)) == shown(page)
    forum.reply(bob, forum.topic(ann, forum.node("Two")))
    assert len(of_request(forum, ann, "GET", LIST)) > TOKEN + 1


def test_what_happens_elsewhere_leaves_the_tag_as_it_is(scene):
    before = pages(scene.ann)
    scene.forum.reply(scene.bob, scene.forum.topic(scene.root, scene.nodes[0]), "For @eve")
    for path, page in before.items():
        assert read(scene.elsewhere, path, page.headers["ETag"]).status_int == 304, path


def test_two_users_share_no_tag(scene):
    ok(*(person.delete(f"{LIST}/all") for person in (scene.ann, scene.bob)))
    tags = {read(person, LIST).headers["ETag"] for person in (scene.ann, scene.bob, scene.root)}
    assert len(tags) == 3
