"""The log of moderation: what is recorded, who sees it, and that nobody can change it."""

from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import func, select, text
from sqlalchemy.exc import DBAPIError

from forumsvc import clock
from forumsvc.background.maintenance import delete_all_expired
from forumsvc.db.expired_rows import delete_batch
from forumsvc.models import AuditRecord
from forumsvc.services.accounts import accounts
from forumsvc.services.moderation import audit_log
from tests.cases import each
from tests.databases import on_postgresql
from tests.functional.forum import Caller, Forum, Person

LOG = "/moderation/log"


@pytest.fixture
def root(forum: Forum) -> Person:
    """An admin."""
    return forum.person("root", role="admin", scope="read write moderate admin")


def actions(caller: Caller) -> list[str]:
    """Return the actions in the log that a caller sees, the newest first."""
    return [one["action"] for one in caller.get(LOG).json]


def test_a_record_has_the_id_of_its_request(chief, topic):
    headers = {"X-Request-Id": "moderating-1"}
    chief.call("POST", f"/topics/{topic}/action", {"type": "ban"}, headers=headers)
    assert chief.get(LOG).json[0]["request_id"] == "moderating-1"


def test_admins_see_what_maintainers_do_not(forum, chief, root, alice):
    chief.post(f"/users/{alice.id}/warn", reason="x")
    with forum.database.session.begin() as db:
        accounts.delete(db, "alice")
    assert actions(chief) == ["user.warned"]
    assert actions(root) == ["user.deleted", "user.warned"]


@each(
    "change",
    [
        "UPDATE audit_log SET reason = 'x'",
        "DELETE FROM audit_log",
        "DELETE FROM audit_log WHERE action = 'topic.banned'",
    ],
)
@pytest.mark.both_databases
def test_no_statement_changes_or_deletes_a_record(forum, chief, topic, change):
    chief.post(f"/topics/{topic}/action", type="ban")
    with (
        pytest.raises(DBAPIError, match="the audit log cannot be changed"),
        forum.database.writes.begin() as db,
    ):
        db.execute(text(change))
    assert actions(chief) == ["topic.banned"]


@on_postgresql  # SQLite has no TRUNCATE
def test_the_log_cannot_be_truncated(forum, chief, topic):
    chief.post(f"/topics/{topic}/action", type="ban")
    with (
        pytest.raises(DBAPIError, match="the audit log cannot be changed"),
        forum.database.writes.begin() as db,
    ):
        db.execute(text("TRUNCATE audit_log"))


@pytest.mark.both_databases
def test_a_retention_deletes_old_records_and_says_so(make_forum):
    forum = make_forum(moderation__keep_log_days="30")
    root = forum.person("root", role="admin", scope="read moderate")
    moment = clock.now()
    old = {"action": "user.warned", "visibility": "staff", "via": "cli"}
    with forum.database.session.begin() as db:
        for days in (31, 29):
            db.add(AuditRecord(**old, created_at=moment - timedelta(days=days)))
    delete_all_expired(forum.database, forum.registry.forum_settings)
    assert actions(root) == ["log.trimmed", "user.warned"]
    delete_all_expired(forum.database, forum.registry.forum_settings)
    assert actions(root) == ["log.trimmed", "user.warned"]


@pytest.mark.both_databases
def test_the_log_is_trimmed_once_a_day_and_not_because_of_earlier_trims(make_forum):
    forum = make_forum(moderation__keep_log_days="30")
    start = clock.now() - timedelta(days=100)
    old = {"action": "user.warned", "visibility": "staff", "via": "cli"}
    with forum.database.session.begin() as db:
        for hours in range(0, 72, 4):
            db.add(AuditRecord(**old, created_at=start + timedelta(hours=hours)))

    def trims(hours: range) -> int:
        """Trim at these hours, with what that allows to delete; return how often it was said."""
        with forum.database.reads.connect() as db:
            before = db.scalar(select(func.max(AuditRecord.id)))
        for hour in hours:
            now = start + timedelta(days=30, hours=hour)
            with forum.database.session.begin() as db:
                audit_log.trim(db, now, timedelta(days=30))
            delete_batch(forum.database, audit_log.trimmed(timedelta(days=30)), now)
        with forum.database.reads.connect() as db:
            said = AuditRecord.action == "log.trimmed", AuditRecord.id > before
            return db.scalar(select(func.count()).select_from(AuditRecord).where(*said)) or 0

    assert trims(range(1, 80)) in (3, 4)
    assert trims(range(80, 80 + 24 * 40, 5)) == 0


@pytest.mark.both_databases
def test_a_record_and_its_action_are_one_transaction(forum, chief, alice, topic, monkeypatch):
    def fail(*_: Any, **__: Any) -> None:
        raise RuntimeError

    monkeypatch.setattr("forumsvc.services.moderation.actions._log", fail)
    chief.app.post(
        f"/api/v3/topics/{topic}/action",
        {"type": "ban"},
        headers={"Authorization": f"Bearer {chief.token}"},
        status=500,
    )
    assert alice.get("/topics").json[0]["id"] == topic
    with forum.database.reads.connect() as db:
        assert db.execute(select(AuditRecord.id)).all() == []
