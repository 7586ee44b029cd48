"""`/access_blocks`: how admins manage them."""

from typing import Any

import pytest
from sqlalchemy import func, select

from forumsvc.models import AuditRecord, Event
from tests.functional.blocking import block, root_of
from tests.functional.forum import Forum, Person


@pytest.fixture
def root(forum: Forum) -> Person:
    """An admin."""
    return root_of(forum)


def records(forum: Forum) -> list[Any]:
    """Return the records of the log, the oldest first."""
    with forum.database.reads.connect() as db:
        return [*db.execute(select(AuditRecord.__table__).order_by(AuditRecord.id))]


def test_each_change_is_in_the_log_for_admins_without_email_addresses_and_no_event(forum, root):
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


def test_blocks_are_paged_the_newest_first(forum, root):
    for number in range(5):
        block(root, f"192.0.2.{number}", "sign_up")
    page = root.get("/access_blocks", limit=2)
    assert [one["value"] for one in page.json] == ["192.0.2.4/32", "192.0.2.3/32"]
    assert 'rel="next"' in page.headers["Link"]
    rest = root.get("/access_blocks", offset=4).json
    assert [one["value"] for one in rest] == ["192.0.2.0/32"]
