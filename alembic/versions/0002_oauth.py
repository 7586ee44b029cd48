"""Authorization codes, failed log-ins and browser sessions."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

BIG_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Upgrade to this revision."""
    op.add_column("oauth_tokens", sa.Column("refresh_scope", sa.Text(), nullable=True))
    op.create_table(
        "oauth_codes",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("code_hash", sa.String(length=64), nullable=False),
        sa.Column("client_id", BIG_ID, nullable=False),
        sa.Column("user_id", BIG_ID, nullable=False),
        sa.Column("redirect_uri", sa.Text(), nullable=True),
        sa.Column("scope", sa.Text(), nullable=False),
        sa.Column("challenge", sa.String(length=43), nullable=True),
        sa.Column("family", sa.String(length=64), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("used_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["client_id"], ["oauth_clients.id"], name=op.f("fk_oauth_codes_client_id")
        ),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_oauth_codes_user_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_oauth_codes")),
        sa.UniqueConstraint("code_hash", name=op.f("uq_oauth_codes_code_hash")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_oauth_codes_client_id", "oauth_codes", ["client_id"])
    op.create_index("ix_oauth_codes_user_id", "oauth_codes", ["user_id"])
    op.create_index("ix_oauth_codes_expires_at", "oauth_codes", ["expires_at"])
    op.create_table(
        "login_failures",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("account", sa.String(length=64), nullable=False),
        sa.Column("address", sa.String(length=64), nullable=False),
        sa.Column("failed_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_login_failures")),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "ix_login_failures_account_failed_at",
        "login_failures",
        ["account", "failed_at"],
    )
    op.create_index(
        "ix_login_failures_address_failed_at",
        "login_failures",
        ["address", "failed_at"],
    )
    op.create_index("ix_login_failures_failed_at", "login_failures", ["failed_at"])
    op.create_table(
        "login_addresses",
        sa.Column("user_id", BIG_ID, nullable=False),
        sa.Column("address", sa.String(length=64), nullable=False),
        sa.Column("seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_login_addresses_user_id")),
        sa.PrimaryKeyConstraint("user_id", "address", name=op.f("pk_login_addresses")),
    )
    op.create_index("ix_login_addresses_seen_at", "login_addresses", ["seen_at"])
    op.create_table(
        "browser_sessions",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("secret_hash", sa.String(length=64), nullable=False),
        sa.Column("user_id", BIG_ID, nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name=op.f("fk_browser_sessions_user_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_browser_sessions")),
        sa.UniqueConstraint("secret_hash", name=op.f("uq_browser_sessions_secret_hash")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_browser_sessions_user_id", "browser_sessions", ["user_id"])
    op.create_index("ix_browser_sessions_expires_at", "browser_sessions", ["expires_at"])


def downgrade() -> None:
    """Downgrade to the revision before."""
    op.drop_table("browser_sessions")
    op.drop_table("login_addresses")
    op.drop_table("login_failures")
    op.drop_table("oauth_codes")
    op.drop_column("oauth_tokens", "refresh_scope")
