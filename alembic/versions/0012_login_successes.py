"""Count successful logins, because each costs a password hash."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None

BIG_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
INDEXES = (["account", "succeeded_at"], ["address", "succeeded_at"], ["succeeded_at"])


def upgrade() -> None:
    """Upgrade to this revision."""
    op.create_table(
        "login_successes",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("account", sa.String(length=64), nullable=False),
        sa.Column("address", sa.String(length=64), nullable=False),
        sa.Column("succeeded_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_login_successes")),
        sqlite_autoincrement=True,
    )
    for columns in INDEXES:
        op.create_index(f"ix_login_successes_{'_'.join(columns)}", "login_successes", columns)


def downgrade() -> None:
    """Downgrade to the revision before."""
    op.drop_table("login_successes")
