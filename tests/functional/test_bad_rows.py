"""A row that cannot be changed, or a table that fails, holds up no other."""

from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import delete, select, text

from forumsvc import clock
from forumsvc.background import maintenance
from forumsvc.db import expired_rows
from forumsvc.doctor.background import check
from forumsvc.doctor.installation import Installation
from forumsvc.models import Event, JobKind, MailKind, User
from forumsvc.queries.jobs import newest
from forumsvc.services import mails
from forumsvc.services.accounts import accounts, closures, unconfirmed_accounts
from forumsvc.services.moderation import restrictions
from tests.functional.background_jobs import do_periodic_work
from tests.functional.conftest import MakeForum
from tests.functional.forum import Forum
from tests.functional.queued_mails import queued_mails
from tests.functional.rows import insert_rows

pytestmark = pytest.mark.both_databases

LONG_AGO = clock.now() - timedelta(days=40)


def insert_users(forum: Forum, number: int, **values: Any) -> list[int]:
    times = {"created_at": LONG_AGO, "updated_at": LONG_AGO}
    rows = [{"login": f"user{at}", **times, **values} for at in range(number)]
    for at, row in enumerate(rows):
        if "email" in row:
            row["email"] = row["email_key"] = f"user{at}@example.org"
    with forum.database.session.begin() as db:
        return insert_rows(db, User, rows)


def states(forum: Forum, ids: list[int]) -> list[str]:
    with forum.database.reads.connect() as db:
        return [*db.scalars(select(User.state).where(User.id.in_(ids)).order_by(User.id))]


def fails_for(ids: list[int], function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of a session, a time and a user that cannot be done for some users."""

    def failing(*given: Any) -> Any:
        if getattr(given[2], "id", given[2]) in ids:
            raise ValueError("a row that cannot be changed")
        return function(*given)

    return failing


@pytest.fixture
def forum(make_forum: MakeForum) -> Forum:
    return make_forum(mail__delivery="folder", accounts__confirm_email="true")


def test_silences_end_beside_one_that_cannot(forum, monkeypatch, caplog):
    number = restrictions.BATCH_SIZE + 2
    ids = insert_users(forum, number, state="blocked", blocked_at=LONG_AGO, blocked_until=LONG_AGO)
    bad = ids[: restrictions.BATCH_SIZE]
    failing = fails_for(bad, restrictions.end_expired)
    monkeypatch.setattr(restrictions, "end_expired", failing)
    do_periodic_work(forum)
    assert states(forum, ids[-2:]) == ["active"] * 2
    assert f"the silence of user {bad[0]} has ended, and is not tidied up" in caplog.text


def test_accounts_are_closed_behind_as_many_as_a_turn_has_that_cannot(forum, monkeypatch):
    number = closures.BATCH_SIZE + 1
    ids = insert_users(forum, number, closes_at=LONG_AGO, closure_posts="keep")
    monkeypatch.setattr(closures, "end", fails_for(ids[:-1], closures.end))
    do_periodic_work(forum)
    assert states(forum, ids[-1:]) == ["deleted"]
    settings = forum.registry.forum_settings
    said = [str(one) for one in check(Installation(Path(), settings, None, forum.database))]
    assert any(f"more than an hour ago, of the users {ids[0]}, {ids[1]}" in one for one in said)


def test_unconfirmed_accounts_end_behind_as_many_as_a_turn_has_that_cannot(forum, monkeypatch):
    ids = insert_users(forum, unconfirmed_accounts.BATCH_SIZE + 1, email="")
    failing = fails_for(ids[:-1], unconfirmed_accounts.end)
    monkeypatch.setattr(unconfirmed_accounts, "end", failing)
    do_periodic_work(forum)
    assert states(forum, ids[-1:]) == ["deleted"]


def test_what_fails_in_one_table_stops_no_other_periodic_work(forum, monkeypatch):
    [user_id] = insert_users(forum, 1, closes_at=LONG_AGO, closure_posts="keep")

    def failing(database: Any, expired: Any, now: datetime) -> int:
        raise ValueError("a table that fails")

    monkeypatch.setattr(maintenance, "delete_batch", failing)
    runner = forum.registry.job_runner
    runner.insert_standing()
    runner.run_due(JobKind.PERIODIC)
    assert states(forum, [user_id]) == ["deleted"]
    with forum.database.reads.connect() as db:
        found = newest(db, JobKind.PERIODIC, None, 100)
    errors = {row.key: row.error for row in found if row.error is not None}
    assert errors["expired-events"] == "ValueError: a table that fails"
    assert all(name.startswith("expired-") for name in errors)


def test_an_expired_row_to_which_an_extension_refers_stops_no_other(forum, caplog, monkeypatch):
    with forum.database.session.begin() as db:
        db.execute(delete(Event))
        events = [{"type": "user.updated", "created_at": LONG_AGO} for _ in range(4)]
        ids = insert_rows(db, Event, events)
        db.execute(text("CREATE TABLE extension (event_id BIGINT REFERENCES events (id))"))
        db.execute(text("INSERT INTO extension VALUES (:id)"), {"id": ids[1]})
    monkeypatch.setattr(expired_rows, "BATCH_SIZE", 1)
    try:
        for _ in range(2):
            do_periodic_work(forum)
        with forum.database.reads.connect() as db:
            kept = select(Event.id).order_by(Event.id)
            assert db.scalars(kept).all() == [ids[1], ids[3]]  # the newest one is always kept
        assert f"events ({ids[1]},) stays" in caplog.text
    finally:
        with forum.database.session.begin() as db:
            db.execute(text("DROP TABLE extension"))


def test_an_email_of_another_waits_on_when_somebody_goes_who_named_its_address(forum):
    victim, eve = forum.person("victim"), forum.person("eve")
    address = "victim@example.org"
    forum.change(victim.id, email=address, email_key=address, email_confirmed_at=clock.now())
    forum.change(eve.id, unconfirmed_email=address)
    with forum.database.session.begin() as db:
        for user_id in (victim.id, None, eve.id):
            kind = MailKind.PASSWORD_RESET
            mails.enqueue(db, kind, address, clock.now(), user_id=user_id, data={"url": "u"})
        accounts.delete(db, "eve")
    assert [one.user_id for one in queued_mails(forum.database)] == [victim.id, None]
