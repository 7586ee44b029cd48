"""A migration that replaces a CHECK, as one that adds a kind of notification does."""

from pathlib import Path

import pytest
from sqlalchemy import inspect, text
from sqlalchemy.exc import IntegrityError

from forumsvc import migrate
from forumsvc.db.engine import Database
from tests.migrations import later, rows


@pytest.fixture
def filled(blank: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Database:
    """A database with rows in every table, behind whose revision NEWS follows."""
    later.install(tmp_path / "later", monkeypatch, later.NEWS)
    migrate.upgrade(blank.writes, later.HEAD)
    with blank.writes.begin() as connection:
        rows.fill(connection)
    return blank


def set_type(database: Database, word: str) -> None:
    """Change the type of the notification."""
    with database.writes.begin() as connection:
        connection.execute(text("UPDATE notifications SET type = :word"), {"word": word})


def checks(database: Database) -> dict[str | None, str]:
    """Return the checks of the notifications, by name."""
    found = inspect(database.writes).get_check_constraints("notifications")
    return {check["name"]: check["sqltext"] for check in found}


def refuses(database: Database, word: str) -> bool:
    """Return whether the database refuses a type of notification; store it otherwise."""
    try:
        set_type(database, word)
    except IntegrityError:
        return True
    return False


def test_a_check_is_replaced_up_and_down_and_the_rows_stay(filled: Database) -> None:
    before = checks(filled)
    with filled.writes.connect() as connection:
        kept = rows.count(connection)
    assert refuses(filled, "News")
    migrate.upgrade(filled.writes, later.NEWS)
    assert not refuses(filled, "News")
    assert refuses(filled, "Nonsense")
    set_type(filled, "Topic")
    migrate.downgrade(filled.writes, later.HEAD)
    assert refuses(filled, "News")
    assert checks(filled) == before
    with filled.writes.connect() as connection:
        assert rows.count(connection) == kept
        if filled.is_sqlite:
            assert connection.execute(text("PRAGMA integrity_check")).scalars().all() == ["ok"]


def test_a_row_that_breaks_the_new_check_stops_the_migration_before_it_changes_anything(
    filled: Database,
) -> None:
    migrate.upgrade(filled.writes, later.NEWS)
    before = checks(filled)
    set_type(filled, "News")
    with pytest.raises(ValueError, match="ck_notifications_type: a row of notifications"):
        migrate.downgrade(filled.writes, later.HEAD)
    assert checks(filled) == before
    assert migrate.current(filled.writes) == later.NEWS
