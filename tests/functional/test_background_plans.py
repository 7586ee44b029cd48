"""What is asked again and again, and of ever more rows, is found by its index."""

from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import Select, exists, select, text

from forumsvc import clock
from forumsvc.db.engine import Database
from forumsvc.models import (
    AuditRecord,
    EventType,
    HeldPost,
    HeldState,
    Job,
    JobKind,
    Notification,
    Review,
)
from forumsvc.queries import events
from forumsvc.services import jobs
from forumsvc.services.notifications import notification_mails
from tests.functional.rows import insert_rows
from tests.functional.test_list_plans import AS_IF_LARGE

pytestmark = pytest.mark.both_databases

NOW = clock.now()
HELD: Any = select(HeldPost.id).where(HeldPost.state == HeldState.WAITING)
EXPIRED, _ = jobs.expired(timedelta(days=14))
STATEMENTS: dict[str, Select[Any]] = {
    "ix_held_posts_state_id": HELD.order_by(HeldPost.id.desc()).limit(20),
    "ix_audit_log_created_at": select(exists().where(AuditRecord.created_at < NOW)),
    "ix_reviews_resolved_at": select(Review.id).where(Review.resolved_at <= NOW).limit(20),
    "ix_jobs_finished_at": select(Job.id).where(*EXPIRED.conditions(NOW)).limit(20),
}


def of_one_type(database: Database) -> Select[Any]:
    """Return the SELECT of `GET /events?type=`, as it is sent."""
    statement = events._select_after(not database.is_sqlite, has_type=True)
    values = {"type": EventType.USER_SILENCED, "after_xid": 0, "after_id": 0, "most": 20}
    return statement.params(values)


def plan_of(database: Database, statement: Select[Any], without: str = "") -> list[str]:
    """Return the steps of a plan. without: an index."""
    with database.writes.connect() as db:
        if not database.is_sqlite:
            db.execute(text(AS_IF_LARGE))
        if without:
            db.execute(text(f"DROP INDEX {without}"))
        sent = statement.compile(db, compile_kwargs={"literal_binds": True})
        explain = "EXPLAIN QUERY PLAN" if database.is_sqlite else "EXPLAIN"
        plan = [row[-1] for row in db.exec_driver_sql(f"{explain} {sent}")]
        db.rollback()
    return plan


@pytest.mark.parametrize("index", [*STATEMENTS, "ix_events_type_xid_id"])
def test_the_rows_are_found_by_the_index(index, database):
    by_type = of_one_type(database)
    statement = STATEMENTS.get(index, by_type)
    # With few rows PostgreSQL finds the index without the type just as good.
    plan = plan_of(database, statement, without="ix_events_xid_id" if statement is by_type else "")
    assert any(index in step for step in plan), plan
    assert not [step for step in plan if "Sort" in step or "TEMP B-TREE" in step]


def test_of_ten_thousand_emails_whose_time_has_come_the_job_of_each_is_found_by_its_key(database):
    job = {"kind": JobKind.NOTIFICATION_MAIL, "due_at": NOW, "created_at": NOW, "data": {}}
    with database.session.begin() as db:
        # Of none PostgreSQL takes any index.
        insert_rows(db, Job, [{**job, "key": f"{user_id}:1"} for user_id in range(1_000)])
        db.execute(text("ANALYZE jobs"))
    is_due = Notification.mail_at <= NOW
    plan = plan_of(database, select(Notification.id).where(is_due, ~notification_mails._has_job()))
    [of_jobs] = [step for step in plan if "jobs" in step and ("USING" in step or "using" in step)]
    assert "ix_jobs_kind_key" in of_jobs or "uq_jobs_once" in of_jobs
