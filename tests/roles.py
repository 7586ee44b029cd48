"""Two roles of the tests' PostgreSQL: one owns the tables, the other runs the service."""

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from sqlalchemy import make_url

from tests.databases import plain_url

OWNER, WRITER = "forum_owner", "forum_writer"


def as_role(url: str, role: str) -> str:
    """Return the URL of a database for a role of these; the tests' server asks no password."""
    return make_url(url).set(username=role).render_as_string(hide_password=False)


@contextmanager
def superuser(url: str) -> Iterator[psycopg.Connection]:
    """Connect to a database as the superuser of the tests, in autocommit."""
    with psycopg.connect(plain_url(url), autocommit=True) as admin:
        yield admin


def make_roles(url: str) -> None:
    """Create both roles and give a database with all that is in it to the owner."""
    with superuser(url) as admin:
        # Only one process at a time may change a role.
        admin.execute("SELECT pg_advisory_lock(1)")
        for role in (OWNER, WRITER):
            found = admin.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [role])
            if found.fetchone() is None:
                admin.execute(f"CREATE ROLE {role} LOGIN".encode())
        admin.execute(f'ALTER DATABASE "{make_url(url).database}" OWNER TO {OWNER}'.encode())
