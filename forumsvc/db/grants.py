"""The rights of a role of PostgreSQL that uses the tables of another role."""

from collections.abc import Sequence
from typing import NamedTuple

from psycopg import sql
from sqlalchemy import Connection, text


class Roles(NamedTuple):
    """Who owns the tables of a schema, and who reads and writes their rows."""

    database: str
    schema: str
    owner: str
    writer: str


def owners(db: Connection) -> set[str]:
    """Return the roles that own tables of the current schema."""
    return {
        *db.scalars(
            text("SELECT tableowner FROM pg_tables WHERE schemaname = current_schema() ORDER BY 1")
        )
    }


def statements(roles: Roles, *, append_only: Sequence[str], read_only: Sequence[str]) -> list[str]:
    """Return the statements of one transaction that give the writer its rights and no others.

    The writer reads and writes the rows of all tables, also of those that the owner makes later.
    append_only: tables to which it only adds rows; read_only: tables that it only reads.
    """
    names = {name: sql.Identifier(value) for name, value in roles._asdict().items()}
    later = "ALTER DEFAULT PRIVILEGES FOR ROLE {owner} IN SCHEMA {schema} GRANT "
    written = [
        "BEGIN",
        "REVOKE CREATE ON SCHEMA {schema} FROM PUBLIC, {writer}",
        "GRANT CONNECT ON DATABASE {database} TO {writer}",
        "GRANT USAGE ON SCHEMA {schema} TO {writer}",
        "REVOKE ALL ON ALL TABLES IN SCHEMA {schema} FROM PUBLIC, {writer}",
        "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {schema} TO {writer}",
        "GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA {schema} TO {writer}",
        f"{later}SELECT, INSERT, UPDATE, DELETE ON TABLES TO {{writer}}",
        f"{later}USAGE, SELECT ON SEQUENCES TO {{writer}}",
    ]
    tables = [("UPDATE, DELETE", table) for table in append_only]
    tables += [("INSERT, UPDATE, DELETE", table) for table in read_only]
    revoked = [
        sql.SQL("REVOKE " + rights + " ON {schema}.{table} FROM {writer}").format(
            **names, table=sql.Identifier(table)
        )
        for rights, table in tables
    ]
    granted = [sql.SQL(one).format(**names) for one in written]
    return [one.as_string() for one in [*granted, *revoked, sql.SQL("COMMIT")]]
