"""`forumsvc cache renew`: rows that were changed by SQL are in the next read of every process."""

from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.sql.elements import TextClause

from forumsvc.cache import reset
from tests.functional.conftest import MakeForum


class Scene:
    """Two applications with a page cache each, and what both have cached."""

    def __init__(self, make_forum: MakeForum) -> None:
        self.forums = [make_forum(), make_forum()]
        self.forum = forum = self.forums[0]
        self.alice = forum.person("alice")
        self.node = forum.node()
        self.topic = forum.topic(self.alice, self.node)
        self.other = forum.topic(self.alice, self.node, "Other")
        self.reply = forum.reply(self.alice, self.topic)
        self.paths = [
            "/topics",
            "/nodes",
            f"/topics/{self.topic}",
            f"/topics/{self.topic}/replies",
            f"/replies/{self.reply}",
        ]
        self.tags = self.read("ETag")

    def read(self, header: str) -> dict[tuple[int, str], str]:
        """Return a header of every cached page, by application and path."""
        return {
            (number, path): forum.nobody.get(path).headers[header]
            for number, forum in enumerate(self.forums)
            for path in self.paths
        }

    def by_sql(self, statement: TextClause, **values: Any) -> None:
        """Change rows past the service."""
        with self.forum.database.writes.begin() as db:
            db.execute(statement, values)

    def retitle(self) -> None:
        self.by_sql(text("UPDATE topics SET title = 'By SQL' WHERE id = :id"), id=self.topic)

    def titles(self) -> list[str]:
        """Return the topic's title as both applications tell it, alone and in a list."""
        found = []
        for forum in self.forums:
            found.append(forum.nobody.get(f"/topics/{self.topic}").json["title"])
            listed = forum.nobody.get("/topics").json
            found += [one["title"] for one in listed if one["id"] == self.topic]
        return found


@pytest.fixture
def scene(make_forum: MakeForum) -> Scene:
    return Scene(make_forum)


def test_a_topic_changed_by_sql_is_shown_by_every_process(scene, run):
    scene.retitle()
    assert run("cache", "renew", "--json").json == {"topics": 2}
    assert scene.titles() == ["By SQL"] * 4


def test_names_and_replies_changed_by_sql_are_shown_by_every_process(scene, run):
    scene.by_sql(text("UPDATE users SET name = 'By SQL'"))
    scene.by_sql(text("UPDATE nodes SET name = 'By SQL'"))
    scene.by_sql(text("UPDATE replies SET body_html = '<p>By SQL</p>'"))
    run("cache", "renew")
    for forum in scene.forums:
        assert forum.nobody.get("/nodes").json[0]["name"] == "By SQL"
        for topic in (
            forum.nobody.get(f"/topics/{scene.topic}").json,
            forum.nobody.get("/topics").json[0],
        ):
            assert (topic["user"]["name"], topic["node_name"]) == ("By SQL", "By SQL")
        [reply] = forum.nobody.get(f"/topics/{scene.topic}/replies").json
        assert reply["body_html"] == "<p>By SQL</p>"


def test_an_edit_of_what_was_read_before_the_change_is_refused(scene, run):
    scene.retitle()
    run("cache", "renew")
    form = {"title": "Mine", "node_id": scene.node, "body": "Mine"}
    stale = {"If-Match": scene.tags[0, f"/topics/{scene.topic}"]}
    assert scene.alice.call("PUT", f"/topics/{scene.topic}", form, headers=stale).status_int == 412


def test_the_topics_get_new_versions_in_chunks(scene, run, monkeypatch):
    monkeypatch.setattr(reset, "_CHUNK", 1)
    done: list[int] = []
    assert reset.reset_all(scene.forum.database, progress=done.append) == 2
    assert done == [1, 1]
    with scene.forum.database.reads.connect() as db:
        versions = db.scalars(text("SELECT version FROM topics")).all()
    assert len(set(versions)) == 2
