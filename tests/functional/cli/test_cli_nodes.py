"""`forumsvc node …`."""

import json
from typing import Any

import pytest
from sqlalchemy import select

from forumsvc.clock import now
from forumsvc.db.engine import Database
from forumsvc.models import Event, Node, Notification, Section, Topic, User
from forumsvc.queries import recount
from tests.functional.cli.conftest import Run
from tests.functional.rows import insert_row


def add_user(database: Database, login: str = "ann") -> int:
    """Add a user and return the id."""
    with database.session.begin() as db:
        return insert_row(db, User, login=login)


def add_topic(database: Database, user_id: int, node_id: int, **values: Any) -> int:
    """Add a topic, uncounted, and return the id."""
    with database.session.begin() as db:
        return insert_row(db, Topic, user_id=user_id, node_id=node_id, **values)


def add_move(database: Database, user_id: int, actor_id: int, topic_id: int, node_id: int) -> None:
    """Add the notification of a user that their topic was moved to a node."""
    ids = {"user_id": user_id, "actor_id": actor_id, "topic_id": topic_id, "node_id": node_id}
    with database.session.begin() as db:
        insert_row(db, Notification, type="NodeChanged", **ids)


def nodes(run: Run) -> dict[str, Any]:
    """Return what is listed, by name."""
    return {node["name"]: node for node in run("node", "list", "--json").json["nodes"]}


def sections(database: Database) -> set[str]:
    """Return the names of the sections that there are."""
    with database.reads.connect() as db:
        return set(db.scalars(select(Section.name)))


def test_a_new_node_is_listed_with_what_the_options_say(run: Run) -> None:
    added = run(
        *("node", "add", "Python", "--summary", "*All* of it", "--section", "Languages"),
        *("--sort", "-7", "--json"),
    ).json
    assert added == {"id": added["id"], "name": "Python"}
    listed = nodes(run)["Python"]
    assert listed.pop("section_id") > 0
    assert listed == {
        "id": added["id"],
        "name": "Python",
        "summary": "*All* of it",
        "section_name": "Languages",
        "topics_count": 0,
        "sort": -7,
    }


def test_nodes_of_the_same_section_share_it(run: Run, database: Database) -> None:
    run("node", "add", "Python", "--section", "Languages")
    run("node", "add", "Rust", "--section", " Languages ")
    assert sections(database) == {"Languages"}
    listed = nodes(run)
    assert listed["Python"]["section_id"] == listed["Rust"]["section_id"]


def test_a_name_that_is_taken_is_refused_and_leaves_no_section(
    run: Run, database: Database
) -> None:
    first = run("node", "add", "Python", "--json").json["id"]
    second = run("node", "add", "Rust", "--json").json["id"]
    assert "'Python'" in run("node", "add", "Python", "--section", "New").refusal
    assert "'Python'" in run("node", "edit", second, "--name", "Python", "--section", "N").refusal
    assert sections(database) == set()
    run("node", "edit", first, "--name", "Python", "--json").json["id"]


@pytest.mark.parametrize(
    ("words", "field"),
    [
        (("add", " "), "name"),
        (("add", "a\udcffb"), "name"),
        (("add", "a", "--section", "s" * 101), "section"),
        (("add", "a", "--summary", "s" * 65_537), "summary"),
    ],
)
def test_a_text_that_cannot_be_stored_is_refused(
    run: Run, words: tuple[str, ...], field: str
) -> None:
    assert field in run("node", *words).refusal
    assert nodes(run) == {}


def test_an_edit_changes_what_is_given_and_nothing_else(run: Run) -> None:
    node_id = run(
        "node", "add", "a", "--summary", "s", "--section", "S", "--sort", 3, "--json"
    ).json["id"]
    before = nodes(run)["a"]
    assert run("node", "edit", node_id, "--name", "b", "--json").json["name"] == "b"
    assert nodes(run) == {"b": {**before, "name": "b"}}
    run("node", "edit", node_id, "--summary", "", "--sort", 0)
    assert nodes(run) == {"b": {**before, "name": "b", "summary": "", "sort": 0}}


def test_a_section_without_nodes_goes(run: Run, database: Database) -> None:
    first = run("node", "add", "a", "--section", "S", "--json").json["id"]
    second = run("node", "add", "b", "--section", "S", "--json").json["id"]
    run("node", "edit", first, "--section", "T")
    assert sections(database) == {"S", "T"}
    run("node", "edit", first, "--section", "")
    assert sections(database) == {"S"}
    run("node", "delete", second, "--yes")
    assert sections(database) == set()
    assert nodes(run)["a"]["section_name"] is None


@pytest.mark.parametrize("hidden", [{}, {"deleted_at": now()}, {"banned_at": now()}])
def test_a_node_that_holds_topics_stays(
    run: Run, database: Database, hidden: dict[str, Any]
) -> None:
    node_id = run("node", "add", "a", "--json").json["id"]
    add_topic(database, add_user(database), node_id, **hidden)
    assert "holds topics" in run("node", "delete", node_id, "--yes").refusal
    assert list(nodes(run)) == ["a"]


def test_a_deleted_nodes_topics_move_with_counts_and_notifications(
    run: Run, database: Database
) -> None:
    source = run("node", "add", "a", "--json").json["id"]
    target = run("node", "add", "b", "--json").json["id"]
    ann, ben = add_user(database), add_user(database, "ben")
    topics = [
        add_topic(database, ann, source),
        add_topic(database, ann, source),
        add_topic(database, ann, source, deleted_at=now()),
        add_topic(database, ann, source, banned_at=now()),
        add_topic(database, ann, target),
    ]
    add_move(database, ann, ben, topics[0], source)
    run("db", "check", "--fix", "--yes")
    moved = run("node", "delete", source, "--move-to", target, "--json", "--yes").json
    assert moved == {"id": source, "moved": 4}
    assert {name: node["topics_count"] for name, node in nodes(run).items()} == {"b": 3}
    with database.reads.connect() as db:
        assert set(db.scalars(select(Topic.node_id))) == {target}
        assert db.scalars(select(Notification.node_id)).all() == [target]
        assert not db.scalars(select(Node.id).where(Node.id == source)).all()
        assert recount.wrong(db) == []


def test_each_topic_of_a_deleted_node_is_recorded_as_moved(run: Run, database: Database) -> None:
    source = run("node", "add", "a", "--json").json["id"]
    target = run("node", "add", "b", "--json").json["id"]
    ann = add_user(database)
    topics = [add_topic(database, ann, source, deleted_at=gone) for gone in (None, now())]
    add_topic(database, ann, target)
    run("node", "delete", source, "--move-to", target, "--yes")
    moved = run("events", "list", "--type", "topic.moved", "--json").json["events"]
    assert [(event["topic_id"], event["node_id"], event["actor_id"]) for event in moved] == [
        (topic, target, None) for topic in topics
    ]
    with database.reads.connect() as db:
        [data] = set(db.scalars(select(Event.data)))
    assert json.loads(data or "") == {"from_node_id": source}


def test_a_notification_of_a_move_follows_a_topic_that_has_moved_on(
    run: Run, database: Database
) -> None:
    left = run("node", "add", "left", "--json").json["id"]
    here = run("node", "add", "here", "--json").json["id"]
    ann, ben = add_user(database), add_user(database, "ben")
    topic = add_topic(database, ann, here)
    add_move(database, ann, ben, topic, left)
    assert run("node", "delete", left, "--json", "--yes").json == {"id": left, "moved": 0}
    with database.reads.connect() as db:
        assert db.scalars(select(Notification.node_id)).all() == [here]


def test_a_node_that_is_not_there_is_refused(run: Run) -> None:
    id_ = "9" * 25
    there = run("node", "add", "a", "--json").json["id"]
    assert "no node" in run("node", "edit", "--name", "b", "--", id_).refusal
    assert "no node" in run("node", "delete", "--", id_).refusal
    assert "no node" in run("node", "delete", there, "--move-to", id_, "--yes").refusal
    assert list(nodes(run)) == ["a"]


def test_topics_cannot_move_to_where_they_are(run: Run) -> None:
    node_id = run("node", "add", "a", "--json").json["id"]
    assert "move_to" in run("node", "delete", node_id, "--move-to", node_id, "--yes").refusal
