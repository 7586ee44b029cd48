"""`/access_blocks`: how admins manage them."""

from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import func, select

from forumsvc import clock
from forumsvc.models import AccessBlock, AuditRecord, Event
from tests.cases import each
from tests.functional.blocking import block, root_of
from tests.functional.forum import Forum, Person

NEW = {"kind": "address", "value": "192.0.2.0/24", "severity": "sign_up", "reason": "Spam"}


@pytest.fixture
def root(forum: Forum) -> Person:
    """An admin."""
    return root_of(forum)


def records(forum: Forum) -> list[Any]:
    """Return the records of the log, the oldest first."""
    with forum.database.reads.connect() as db:
        return [*db.execute(select(AuditRecord.__table__).order_by(AuditRecord.id))]


def test_a_block_is_created_listed_read_and_removed(forum: Forum, root: Person) -> None:
    end = clock.rfc3339(clock.now() + timedelta(days=1))
    made = root.call("POST", "/access_blocks", json={**NEW, "expires_at": end})
    assert made.status_int == 201
    shown = made.json
    assert made.headers["Location"].endswith(f"/api/v3/access_blocks/{shown['id']}")
    assert set(shown) == {*NEW, "id", "by", "active", "created_at", "expires_at"}
    assert {name: shown[name] for name in NEW} == NEW
    assert (shown["by"]["login"], shown["active"], shown["expires_at"]) == ("root", True, end)
    assert root.get("/access_blocks").json == [shown]
    assert root.get(f"/access_blocks/{shown['id']}").json == shown
    assert root.delete(f"/access_blocks/{shown['id']}").json == {"ok": 1}
    assert root.get("/access_blocks").json == []
    assert root.delete(f"/access_blocks/{shown['id']}").status_int == 404


def test_the_same_value_again_changes_severity_reason_and_end(forum: Forum, root: Person) -> None:
    end = clock.rfc3339(clock.now() + timedelta(days=1))
    first = block(root, "192.0.2.0/24", "all", expires_at=end).json
    again = block(root, "192.0.2.77/24", "write", reason="Worse")
    assert again.status_int == 200
    changed = {"severity": "write", "reason": "Worse", "expires_at": None}
    assert again.json == {**first, **changed}
    assert root.get("/access_blocks").json == [again.json]


def test_each_change_is_in_the_log_for_admins_without_email_addresses_and_no_event(
    forum: Forum, root: Person
) -> None:
    one = block(root, "192.0.2.0/24", "write").json["id"]
    block(root, "192.0.2.0/24", "all", reason="Worse")
    root.delete(f"/access_blocks/{one}")
    block(root, "spammer@example.org", "sign_up", kind="email")
    found = records(forum)
    assert [row.action for row in found] == [
        "access_block.created",
        "access_block.updated",
        "access_block.deleted",
        "access_block.created",
    ]
    assert {(row.visibility, row.via, row.actor_id) for row in found} == {("admin", "api", root.id)}
    assert [row.reason for row in found] == ["Spam", "Worse", None, "Spam"]
    assert "192.0.2.0/24" in found[0].details
    assert "spammer" not in found[3].details
    with forum.database.reads.connect() as db:
        assert db.scalar(select(func.count()).select_from(Event)) == 0


def test_blocks_are_paged_the_newest_first(forum: Forum, root: Person) -> None:
    for number in range(5):
        block(root, f"192.0.2.{number}", "sign_up")
    page = root.get("/access_blocks", limit=2)
    assert [one["value"] for one in page.json] == ["192.0.2.4/32", "192.0.2.3/32"]
    assert 'rel="next"' in page.headers["Link"]
    rest = root.get("/access_blocks", offset=4).json
    assert [one["value"] for one in rest] == ["192.0.2.0/32"]


@each(
    ("field", "value"),
    [
        ("kind", "host"),
        ("severity", "some"),
        ("reason", " "),
        ("expires_at", "2020-01-01T00:00:00Z"),
        ("value", "10.0.0.0/7"),
        ("value", "::ffff:127.0.0.1"),
        ("value", "spam.example"),
    ],
)
def test_a_wrong_value_is_refused_by_its_name(
    forum: Forum, root: Person, field: str, value: str
) -> None:
    answer = root.call("POST", "/access_blocks", json={**NEW, field: value})
    assert answer.status_int == 400
    assert answer.json["error"].startswith(f"{field}: ")
    with forum.database.reads.connect() as db:
        assert db.scalar(select(func.count()).select_from(AccessBlock)) == 0
    assert records(forum) == []


def test_force_blocks_the_machine_itself_and_nothing_too_wide(forum: Forum, root: Person) -> None:
    assert block(root, "127.0.0.1", "sign_up", force=True).json["value"] == "127.0.0.1/32"
    wide = {**NEW, "value": "0.0.0.0/0", "force": True}
    assert root.call("POST", "/access_blocks", json=wide).status_int == 400
