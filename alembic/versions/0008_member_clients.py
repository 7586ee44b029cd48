"""Forbid users' own clients the password grant, and add a permission for introspection."""

from datetime import UTC, datetime

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

TOKENS = sa.table(
    "oauth_tokens",
    sa.column("client_id", sa.BigInteger()),
    sa.column("revoked_at", sa.DateTime(timezone=True)),
)


def upgrade() -> None:
    """Upgrade to this revision."""
    op.add_column(
        "oauth_clients",
        sa.Column("introspects", sa.Boolean(), nullable=False, server_default=sa.false()),
    )
    op.execute(
        "UPDATE oauth_clients SET introspects = true"
        " WHERE owner_id IS NULL AND secret_hash IS NOT NULL"
    )
    op.execute(
        "UPDATE oauth_clients SET grants = trim(replace(' ' || grants || ' ', ' password ', ' '))"
        " WHERE owner_id IS NOT NULL"
    )
    _end_tokens_of_disabled_clients()


def _end_tokens_of_disabled_clients() -> None:
    disabled = sa.text(
        "client_id IN (SELECT oauth_clients.id FROM oauth_clients"
        " JOIN users ON users.id = oauth_clients.owner_id WHERE users.state <> 'active')"
    )
    op.execute(
        sa.update(TOKENS)
        .where(TOKENS.c.revoked_at.is_(None), disabled)
        .values(revoked_at=datetime.now(UTC).replace(tzinfo=_zone()))
    )


def _zone() -> object:
    """Return the time zone of stored times: SQLite stores naive UTC."""
    return None if op.get_bind().dialect.name == "sqlite" else UTC


def downgrade() -> None:
    """Downgrade to the revision before; clients do not get the password grant back."""
    op.drop_column("oauth_clients", "introspects")
