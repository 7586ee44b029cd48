"""The rights of a role of PostgreSQL that uses the tables of another role."""

from collections.abc import Sequence
from typing import NamedTuple

from psycopg import sql
from sqlalchemy import Connection, text

_MOST_NAMES = 5
_MISSING = """
SELECT pg_get_userbyid(c.relowner) AS owner, c.relname AS name, string_agg(needed, ', ') AS rights
FROM pg_class v
    JOIN pg_class c ON c.relnamespace = v.relnamespace AND c.relowner = v.relowner
    CROSS JOIN unnest(CASE
        WHEN c.relkind = 'S' THEN ARRAY['USAGE']
        WHEN c.relname = ANY(:read_only) THEN ARRAY['SELECT']
        WHEN c.relname = ANY(:append_only) THEN ARRAY['SELECT', 'INSERT']
        ELSE ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE'] END) AS needed
WHERE v.relname = 'alembic_version' AND v.relnamespace = current_schema()::regnamespace
    AND c.relkind IN ('r', 'p', 'S')
    AND NOT CASE c.relkind WHEN 'S' THEN has_sequence_privilege(c.oid, needed)
        ELSE has_table_privilege(c.oid, needed) END
GROUP BY c.relowner, c.relname ORDER BY c.relname
"""
"""The tables and sequences of the owner of the schema on which the role lacks rights."""


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
    granted = [sql.SQL(item).format(**names) for item in written]
    return [item.as_string() for item in [*granted, *revoked, sql.SQL("COMMIT")]]


def problem(
    db: Connection, ini: str, *, append_only: Sequence[str], read_only: Sequence[str]
) -> str | None:
    """Return which rights the role of a connection lacks and what gives them, None where none.

    ini: the path of the ini file, for the command.
    """
    missing = db.execute(
        text(_MISSING), {"append_only": [*append_only], "read_only": [*read_only]}
    ).all()
    if not missing:
        return None
    role, name = db.execute(text("SELECT current_user, current_database()")).one()
    listed = [f"{row.rights} on {row.name}" for row in missing[:_MOST_NAMES]]
    if len(missing) > _MOST_NAMES:
        listed.append(f"and on {len(missing) - _MOST_NAMES} others")
    owner = missing[0].owner
    return (
        f"The role {role} lacks rights on what {owner} owns ({'; '.join(listed)}): run as {owner} "
        f"forumsvc -c {ini} db grants {owner} {role} | psql {name}"
    )
