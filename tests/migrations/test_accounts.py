"""What the migrations do with existing accounts and clients."""

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, text

from forumsvc import migrate
from forumsvc.db.engine import Database

MOMENT = datetime(2026, 1, 1, tzinfo=UTC)


def insert(connection: Connection, table: str, **values: Any) -> None:
    """Insert a row into the schema of the current revision."""
    names = ", ".join(values)
    placeholders = ", ".join(f":{name}" for name in values)
    connection.execute(text(f"INSERT INTO {table} ({names}) VALUES ({placeholders})"), values)  # noqa: S608


def add_named(connection: Connection, table: str, **columns: Any) -> None:
    """Insert a row with created_at."""
    insert(connection, table, created_at=MOMENT.isoformat(" "), **columns)


def add_user(connection: Connection, user_id: int, login: str, **columns: Any) -> None:
    """Add a user."""
    values = {"role": "member", "state": "active", "updated_at": MOMENT.isoformat(" "), **columns}
    add_named(connection, "users", id=user_id, login=login, login_key=login, **values)


def add_client(connection: Connection, row_id: int, client_id: str, **columns: Any) -> None:
    """Add a client."""
    values = {"grants": "password refresh_token", "scopes": "read write", **columns}
    add_named(connection, "oauth_clients", id=row_id, client_id=client_id, name=client_id, **values)


def add_token(connection: Connection, name: str, client: int, user: int | None) -> None:
    """Add a token."""
    add_named(
        connection,
        "oauth_tokens",
        client_id=client,
        user_id=user,
        family=name,
        scope="read",
        access_hash=name,
        access_expires_at=MOMENT.isoformat(" "),
    )


def test_tokens_of_the_command_line_are_an_administrators_and_all_others_log_ins(
    blank: Database,
) -> None:
    migrate.upgrade(blank.writes, "0006")
    with blank.writes.begin() as connection:
        add_user(connection, 1, "ann")
        add_client(connection, 1, "forumsvc-cli")
        add_client(connection, 2, "explorer")
        add_token(connection, "admins", 1, 1)
        add_token(connection, "explorers", 2, 1)
        add_token(connection, "clients", 2, None)
    migrate.upgrade(blank.writes, "0007")
    with blank.writes.connect() as connection:
        query = text("SELECT access_hash, issued_by FROM oauth_tokens")
        issued = {row.access_hash: row.issued_by for row in connection.execute(query)}
    assert issued == {"admins": "admin", "explorers": "login", "clients": "client"}
    migrate.downgrade(blank.writes, "0006")
    migrate.upgrade(blank.writes, "0007")


def test_members_clients_lose_the_password_grant_and_end_with_their_owner(
    blank: Database,
) -> None:
    migrate.upgrade(blank.writes, "0007")
    secret = {"secret_hash": "0" * 64, "grants": "password refresh_token authorization_code"}
    with blank.writes.begin() as connection:
        add_user(connection, 1, "ann")
        add_user(connection, 2, "bob", state="blocked")
        add_client(connection, 1, "admins", **secret)
        add_client(connection, 2, "anns", owner_id=1, **secret)
        add_client(connection, 3, "bobs", owner_id=2, **{**secret, "grants": "password"})
        add_client(connection, 4, "public", public=True, grants="authorization_code")
        for client in (1, 2, 3):
            add_token(connection, f"token of {client}", client, 1)
    migrate.upgrade(blank.writes, "0008")
    with blank.writes.connect() as connection:
        query = text("SELECT client_id, grants, introspects FROM oauth_clients ORDER BY id")
        assert [tuple(row) for row in connection.execute(query)] == [
            ("admins", "password refresh_token authorization_code", True),
            ("anns", "refresh_token authorization_code", False),
            ("bobs", "", False),
            ("public", "authorization_code", False),
        ]
        ended = text("SELECT access_hash FROM oauth_tokens WHERE revoked_at IS NOT NULL")
        assert connection.execute(ended).scalars().all() == ["token of 3"]
    migrate.downgrade(blank.writes, "0007")
    migrate.upgrade(blank.writes, "0008")


def test_who_has_an_address_before_it_must_be_confirmed_goes_on_writing(blank: Database) -> None:
    migrate.upgrade(blank.writes, "0020")
    with blank.writes.begin() as connection:
        add_user(connection, 1, "ann", email="ann@example.org", email_key="ann@example.org")
        add_user(connection, 2, "bob")
    migrate.upgrade(blank.writes, "0022")
    with blank.writes.begin() as connection:
        add_user(connection, 3, "eve", email="eve@example.org", email_key="eve@example.org")
        query = text("SELECT login, email_confirmed_at IS NOT NULL, unconfirmed_email FROM users")
        found = {login: (bool(done), new) for login, done, new in connection.execute(query)}
    assert found == {"ann": (True, None), "bob": (False, None), "eve": (False, None)}
    migrate.downgrade(blank.writes, "0020")
    migrate.upgrade(blank.writes, "0022")
