"""Find names by their plain letters: `Łódź` by `lodz`, and Arabic ones without vowel signs."""

import sqlalchemy as sa
from alembic import op

from forumsvc.search.normal_form import name_key

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None

_USERS = sa.table("users", *map(sa.column, ("id", "name", "name_key")))
_AT_ONCE = 10_000


def upgrade() -> None:
    """Make the keys of names anew that are not in ASCII."""
    connection, last = op.get_bind(), 0
    query = sa.select(_USERS).order_by(_USERS.c.id).limit(_AT_ONCE)
    while rows := connection.execute(query.where(_USERS.c.id > last)).all():
        last = rows[-1].id
        for row in rows:
            if row.name.isascii() or row.name_key == (key := name_key(row.name)):
                continue
            here = _USERS.c.id == row.id
            connection.execute(sa.update(_USERS).where(here).values(name_key=key))


def downgrade() -> None:
    """Leaves the keys: the older version makes them anew where a name is saved."""
