"""A write in one process is in the next read of every other process, in every envelope."""

from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy.orm import Session

from forumsvc import clock
from forumsvc.cache.page_cache import PageCache
from forumsvc.db.statements import update_of
from forumsvc.models import Reply, Topic
from forumsvc.services.accounts import accounts
from forumsvc.services.moderation import restrictions
from forumsvc.services.posts import counters, nodes, sections
from forumsvc.services.posts.rerendering import Rerendering
from tests.functional.conftest import MakeForum
from tests.functional.forum import Forum
from tests.functional.test_photos import send

pytestmark = pytest.mark.both_databases

PLAIN = {"site__url": "http://localhost"}
KINDS = ("last_actived", "recent", "no_reply", "popular", "excellent")


class Scene:
    """One process that writes, others with a page cache that read, and for each one without."""

    def __init__(self, make_forum: MakeForum) -> None:
        self.writer = forum = make_forum(**PLAIN)
        self.pairs = [
            (
                make_forum(api__envelope=shape, **PLAIN),
                make_forum(api__envelope=shape, cache__pages_mb="0", **PLAIN),
            )
            for shape in ("bare", "keyed")
        ]
        self.alice = forum.person("alice")
        self.bob = forum.person("bob")
        self.mod = forum.person("mod", role="maintainer")
        self.node = forum.node("One")
        self.other = forum.node("Two")
        self.topic = forum.topic(self.alice, self.node)
        self.reply = forum.reply(self.bob, self.topic)
        self.picture = send(self.alice).json["image_url"]

    def paths(self) -> list[str]:
        """Return the paths of all cached pages."""
        lists = [f"/topics?type={kind}" for kind in KINDS]
        lists += [f"/topics?node_id={node}" for node in (self.node, self.other)]
        topic = f"/topics/{self.topic}"
        return [*lists, "/nodes", topic, f"{topic}/replies", f"/replies/{self.reply}"]

    def look(self, after: str) -> None:
        """Compare each page, for a visitor and for bob, with the one of the process without."""
        for cached, uncached in self.pairs:
            for path in self.paths():
                for token in (None, self.bob.token):
                    shown, true = (one.caller(token).get(path) for one in (cached, uncached))
                    assert without_hits(shown) == without_hits(true), (after, path)

    def edit(self, **changed: Any) -> Any:
        form = {"title": "T", "node_id": self.node, "body": "B", **changed}
        return self.alice.put(f"/topics/{self.topic}", **form)

    def act(self, kind: str) -> Any:
        return self.mod.post(f"/topics/{self.topic}/action?type={kind}")

    def like(self, method: str, kind: str) -> Any:
        liked = self.topic if kind == "topic" else self.reply
        return self.alice.call(method, "/likes", {"obj_type": kind, "obj_id": liked})

    def command(self, work: Callable[..., Any], *given: Any, **named: Any) -> None:
        """Do what a command does."""
        with self.writer.database.session.begin() as db:
            work(db, *given, **named)

    def edit_node(self, **values: Any) -> None:
        self.command(nodes.edit, None, clock.now(), self.other, values)

    def spoil(self, **values: Any) -> None:
        """Give the topic and the reply other values past the service."""
        self.command(lambda db: db.execute(update_of(Topic).values(**values)))
        self.command(lambda db: db.execute(update_of(Reply).values(**values)))

    def rerender(self) -> None:
        Rerendering(self.writer.database, self.writer.registry.authoring, 1).run()


def _put_into_section(db: Session, node_id: int) -> None:
    section_id = sections.create(db, None, clock.now(), "New")
    nodes.edit(db, None, clock.now(), node_id, {"section_id": section_id})


WRITES: dict[str, Callable[[Scene], Any]] = {
    "a topic": lambda s: s.writer.topic(s.bob, s.node, title="Another"),
    "an edit": lambda s: s.edit(title="New"),
    "a move": lambda s: s.edit(node_id=s.other),
    "a reply": lambda s: s.writer.reply(s.alice, s.topic),
    "an edit of a reply": lambda s: s.bob.post(f"/replies/{s.reply}", body="New"),
    "a like of a topic": lambda s: s.like("POST", "topic"),
    "no like of a topic": lambda s: s.like("DELETE", "topic"),
    "a like of a reply": lambda s: s.like("POST", "reply"),
    "no like of a reply": lambda s: s.like("DELETE", "reply"),
    "close": lambda s: s.act("close"),
    "open": lambda s: s.act("open"),
    "excellent": lambda s: s.act("excellent"),
    "unexcellent": lambda s: s.act("unexcellent"),
    "ban": lambda s: s.act("ban"),
    "unban": lambda s: s.act("unban"),
    "bob blocks alice": lambda s: s.bob.post("/users/alice/block"),
    "bob unblocks alice": lambda s: s.bob.post("/users/alice/unblock"),
    "a name": lambda s: s.alice.put("/users/me", name="Alice A."),
    "a picture": lambda s: s.alice.put("/users/me", avatar=s.picture),
    "no picture": lambda s: s.alice.put("/users/me", avatar=""),
    "user block": lambda s: s.command(restrictions.silence_without_reason, "bob"),
    "user unblock": lambda s: s.command(restrictions.end_silence_by_login, "bob"),
    "a section": lambda s: s.command(_put_into_section, s.other),
    "a hidden node": lambda s: s.edit_node(hidden_in_lists=True),
    "no hidden node": lambda s: s.edit_node(hidden_in_lists=False),
    "node edit": lambda s: s.edit_node(name="Three"),
    "wrong counters": lambda s: s.spoil(likes_count=77),
    "db check --fix": lambda s: s.command(counters.fix),
    "old texts": lambda s: s.spoil(body_html="<p>old</p>", markup_version=0),
    "content rerender": lambda s: s.rerender(),
    "a deleted reply": lambda s: s.bob.delete(f"/replies/{s.reply}"),
    "node delete": lambda s: s.command(nodes.delete, None, clock.now(), s.other, move_to=s.node),
    "user delete": lambda s: s.command(accounts.delete, "alice"),
    "a deleted topic": lambda s: s.mod.delete(f"/topics/{s.topic}"),
}
"""Every kind of write that a page shows, one after the other."""


def without_hits(answer: Any) -> Any:
    """Return the status and the document of an answer, without the views of topics."""

    def clean(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: clean(each) for name, each in value.items() if name != "hits"}
        return [clean(each) for each in value] if isinstance(value, list) else value

    return answer.status_int, clean(answer.json)


@pytest.mark.extended
def test_every_process_shows_at_once_what_another_has_answered(make_forum):
    scene = Scene(make_forum)
    scene.look("nothing")
    for name, write in WRITES.items():
        answer = write(scene)
        assert getattr(answer, "status_int", 200) in (200, 201), name
        scene.look(name)


def test_what_is_written_between_two_statements_of_a_page_is_in_the_next_read(
    make_forum, monkeypatch
):
    scene = Scene(make_forum)
    [(reader, truth), _] = scene.pairs
    made = 0

    def write() -> None:
        nonlocal made
        made += 1
        assert scene.edit(title=f"Title {made}", body=f"Body {made}").status_int == 200
        scene.command(nodes.edit, None, clock.now(), scene.node, {"name": f"Name {made}"})

    for path in scene.paths():
        for at in range(4):
            _read(reader, path, monkeypatch, at, write)
            shown, true = (one.nobody.get(path) for one in (reader, truth))
            assert without_hits(shown) == without_hits(true), (path, at)


def _read(
    forum: Forum, path: str, patch: pytest.MonkeyPatch, at: int, write: Callable[[], None]
) -> None:
    """Read a page that is not cached, and write before its statement of this number."""
    patch.setattr(forum.registry, "page_cache", PageCache(1_000_000))
    statements: list[str] = []

    def note(statement: str, values: Any) -> None:
        statements.append(statement)
        if len(statements) == at + 1:
            write()

    listeners = forum.registry.database.executor.query_listeners
    listeners.append(note)
    try:
        forum.nobody.get(path)
    finally:
        listeners.remove(note)
