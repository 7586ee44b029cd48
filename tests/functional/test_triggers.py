"""Triggers that an administrator adds to the database do not change the API's responses."""

from collections.abc import Iterator

import pytest
from sqlalchemy import text

from forumsvc.db.engine import Database
from tests.functional.forum import Person

pytestmark = pytest.mark.both_databases

AUDITED = ("topics", "replies")
SQLITE = """
    CREATE TRIGGER {table}_audit AFTER INSERT ON {table}
    BEGIN INSERT INTO audit (what) VALUES ('{table}'); INSERT INTO audit (what) VALUES (''); END
"""
POSTGRESQL = """
    CREATE TRIGGER {table}_audit AFTER INSERT ON {table}
    FOR EACH ROW EXECUTE FUNCTION write_audit()
"""
FUNCTION = """
    CREATE FUNCTION write_audit() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN INSERT INTO audit (what) VALUES (TG_TABLE_NAME), (''); RETURN NEW; END $$
"""


@pytest.fixture
def audit(database: Database) -> Iterator[None]:
    """An audit table whose ids begin at 1, and triggers that write into it."""
    kind = "INTEGER PRIMARY KEY" if database.is_sqlite else "bigserial PRIMARY KEY"
    with database.writes.begin() as db:
        db.execute(text(f"CREATE TABLE audit (id {kind}, what text)"))
        if not database.is_sqlite:
            db.execute(text(FUNCTION))
        trigger = SQLITE if database.is_sqlite else POSTGRESQL
        for table in AUDITED:
            db.execute(text(trigger.format(table=table)))
    yield
    with database.writes.begin() as db:
        for table in AUDITED:
            on = "" if database.is_sqlite else f" ON {table}"
            db.execute(text(f"DROP TRIGGER {table}_audit{on}"))
        if not database.is_sqlite:
            db.execute(text("DROP FUNCTION write_audit"))
        db.execute(text("DROP TABLE audit"))


def test_a_new_post_is_answered_with_its_own_row_whatever_a_trigger_inserts(
    node: int, alice: Person, audit: None
) -> None:
    topics = [
        alice.post("/topics", title=f"Title {n}", node_id=node, body=f"Body {n}") for n in range(3)
    ]
    assert [one.status_int for one in topics] == [201] * 3
    assert [one.json["title"] for one in topics] == [f"Title {n}" for n in range(3)]
    path = f"/topics/{topics[0].json['id']}/replies"
    replies = [alice.post(path, body=f"Reply {n}") for n in range(3)]
    assert [one.status_int for one in replies] == [201] * 3
    assert [one.json["body"] for one in replies] == [f"Reply {n}" for n in range(3)]
