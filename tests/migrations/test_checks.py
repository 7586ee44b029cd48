"""A migration that replaces a CHECK, as one that adds a kind of notification does."""

import shutil
from pathlib import Path

import pytest
from sqlalchemy import inspect, text
from sqlalchemy.exc import IntegrityError

from forumsvc import migrate
from forumsvc.db.base import one_of
from forumsvc.db.engine import Database
from forumsvc.models import NotificationType
from tests.migrations import rows

HEAD = migrate.head()
OLD = str(one_of("type", "type", NotificationType).sqltext)
NEW = OLD.replace("'Topic'", "'Topic', 'News'")
MIGRATION = f'''
from alembic import op
from forumsvc.db.online_ddl import replace_check
revision, down_revision, branch_labels, depends_on = "new", "{HEAD}", None, None
def upgrade() -> None:
    replace_check("ck_notifications_type", "notifications", "{NEW}")
def downgrade() -> None:
    replace_check("ck_notifications_type", "notifications", "{OLD}")
'''


@pytest.fixture
def filled(blank: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Database:
    """A database with rows in every table, at the newest revision but `MIGRATION`."""
    folder = tmp_path / "migrations"
    shutil.copytree(migrate.script_location(), folder)
    (folder / "versions" / "new.py").write_text(MIGRATION)
    monkeypatch.setattr(migrate, "script_location", lambda: folder)
    migrate.upgrade(blank.writes, HEAD)
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
    migrate.upgrade(filled.writes, "new")
    assert not refuses(filled, "News")
    assert refuses(filled, "Nonsense")
    set_type(filled, "Topic")
    migrate.downgrade(filled.writes, HEAD)
    assert refuses(filled, "News")
    assert checks(filled) == before
    with filled.writes.connect() as connection:
        assert rows.count(connection) == kept
        if filled.is_sqlite:
            assert connection.execute(text("PRAGMA integrity_check")).scalars().all() == ["ok"]


def test_a_row_that_breaks_the_new_check_stops_the_migration_before_it_changes_anything(
    filled: Database,
) -> None:
    migrate.upgrade(filled.writes, "new")
    before = checks(filled)
    set_type(filled, "News")
    with pytest.raises(ValueError, match="ck_notifications_type: a row of notifications"):
        migrate.downgrade(filled.writes, HEAD)
    assert checks(filled) == before
    assert migrate.current(filled.writes) == "new"
