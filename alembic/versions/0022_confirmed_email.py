"""Add when the email address of a user was confirmed, and a new address that waits for that."""

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Upgrade to this revision. Who has an address may go on writing."""
    op.add_column("users", sa.Column("unconfirmed_email", sa.String(length=255), nullable=True))
    moment = sa.DateTime(timezone=True)
    if op.get_context().dialect.name == "postgresql":
        # A default that PostgreSQL notes once: no row is written while the table is locked.
        now = sa.func.now()
        op.add_column("users", sa.Column("email_confirmed_at", moment, server_default=now))
        op.alter_column("users", "email_confirmed_at", server_default=None)
        op.execute("UPDATE users SET email_confirmed_at = NULL WHERE email IS NULL")
    else:
        op.add_column("users", sa.Column("email_confirmed_at", moment, nullable=True))
        op.execute("UPDATE users SET email_confirmed_at = created_at WHERE email IS NOT NULL")


def downgrade() -> None:
    """Downgrade to the revision before."""
    op.drop_column("users", "unconfirmed_email")
    op.drop_column("users", "email_confirmed_at")
