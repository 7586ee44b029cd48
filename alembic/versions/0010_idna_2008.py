"""Compare the domains of email addresses as IDNA 2008 has them: `faß.de` is not `fass.de`."""

from collections.abc import Callable

import sqlalchemy as sa
from alembic import op

from forumsvc.email_addresses import email_key

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

# IDNA 2003 made other letters of these, or nothing: the two joiners.
_DEVIATIONS = "ßẞς\u200c\u200d"
_USERS = sa.table("users", *map(sa.column, ("id", "email", "email_key")))


def upgrade() -> None:
    """Make the key of each account anew whose domain has such a letter."""
    _set_keys(email_key)


def downgrade() -> None:
    """Make the keys that Python's codec for IDNA 2003 makes."""
    _set_keys(_key_of_2003)


def _set_keys(key_of: Callable[[str], str | None]) -> None:
    """Set the keys; an account keeps its own where another has the new one already."""
    connection = op.get_bind()
    has_one = sa.or_(*(_USERS.c.email.contains(letter) for letter in _DEVIATIONS))
    for row in connection.execute(sa.select(_USERS).where(has_one)).all():
        key = key_of(row.email)
        taken = sa.select(_USERS.c.id).where(_USERS.c.email_key == key)
        if key is not None and connection.execute(taken).first() is None:
            here = _USERS.c.id == row.id
            connection.execute(sa.update(_USERS).where(here).values(email_key=key))


def _key_of_2003(email: str) -> str | None:
    name, _, domain = email.strip().lower().rpartition("@")
    try:
        return f"{name}@{domain.encode('idna').decode('ascii')}"
    except UnicodeError:
        return None
