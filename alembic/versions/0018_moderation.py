"""Add the audit log, the end and the reason of a block, restrictions, and their notifications."""

import sqlalchemy as sa
from alembic import op

from forumsvc.db.online_ddl import replace_check

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None

BIG_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
MOMENT = sa.DateTime(timezone=True)
TYPES = "'Topic', 'TopicReply', 'Mention', 'Follow', 'NodeChanged'"
REFUSED = "the audit log cannot be changed"
SQLITE_GUARDS = (
    f"""
    CREATE TRIGGER audit_log_update BEFORE UPDATE ON audit_log BEGIN
        SELECT RAISE(ABORT, '{REFUSED}');
    END
    """,
    f"""
    CREATE TRIGGER audit_log_delete BEFORE DELETE ON audit_log
    WHEN NOT EXISTS (SELECT 1 FROM audit_log WHERE trimmed_before > old.created_at) BEGIN
        SELECT RAISE(ABORT, '{REFUSED}');
    END
    """,  # noqa: S608 - our own text
)
POSTGRESQL_GUARDS = (
    f"""
    CREATE FUNCTION audit_log_guard() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF TG_OP = 'DELETE' THEN
            IF EXISTS (SELECT 1 FROM audit_log WHERE trimmed_before > old.created_at) THEN
                RETURN old;
            END IF;
        ELSIF TG_OP = 'TRUNCATE' THEN
            IF NOT EXISTS (SELECT 1 FROM audit_log) THEN
                RETURN NULL;
            END IF;
        END IF;
        RAISE EXCEPTION '{REFUSED}';
    END $$
    """,  # noqa: S608 - our own text
    """
    CREATE TRIGGER audit_log_row BEFORE UPDATE OR DELETE ON audit_log
    FOR EACH ROW EXECUTE FUNCTION audit_log_guard()
    """,
    """
    CREATE TRIGGER audit_log_table BEFORE TRUNCATE ON audit_log
    FOR EACH STATEMENT EXECUTE FUNCTION audit_log_guard()
    """,
)


def upgrade() -> None:
    """Upgrade to this revision."""
    replace_check("ck_notifications_type", "notifications", f"type IN ({TYPES}, 'Moderation')")
    op.add_column("notifications", sa.Column("details", sa.Text(), nullable=True))
    op.add_column("users", sa.Column("blocked_at", MOMENT, nullable=True))
    op.add_column("users", sa.Column("blocked_until", MOMENT, nullable=True))
    op.add_column("users", sa.Column("blocked_reason", sa.Text(), nullable=True))
    is_builtin = sa.Column("is_builtin", sa.Boolean(), nullable=False, server_default=sa.false())
    op.add_column("users", is_builtin)
    _create_restrictions()
    _create_audit_log()


def _create_restrictions() -> None:
    op.create_table(
        "restrictions",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("user_id", BIG_ID, nullable=False),
        sa.Column("kind", sa.String(length=10), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("note", sa.Text(), nullable=True),
        sa.Column("by_id", BIG_ID, nullable=True),
        sa.Column("topic_id", BIG_ID, nullable=True),
        sa.Column("reply_id", BIG_ID, nullable=True),
        sa.Column("started_at", MOMENT, nullable=False),
        sa.Column("until", MOMENT, nullable=True),
        sa.Column("lifted_at", MOMENT, nullable=True),
        sa.Column("lifted_by_id", BIG_ID, nullable=True),
        sa.Column("review_id", BIG_ID, nullable=True),
        sa.CheckConstraint("kind IN ('silence', 'warning')", name=op.f("ck_restrictions_kind")),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_restrictions_user_id")),
        sa.ForeignKeyConstraint(["by_id"], ["users.id"], name=op.f("fk_restrictions_by_id")),
        sa.ForeignKeyConstraint(
            ["lifted_by_id"], ["users.id"], name=op.f("fk_restrictions_lifted_by_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_restrictions")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_restrictions_user_id_id", "restrictions", ["user_id", "id"])
    op.create_index("ix_restrictions_by_id", "restrictions", ["by_id"])
    op.create_index("ix_restrictions_lifted_by_id", "restrictions", ["lifted_by_id"])


def _create_audit_log() -> None:
    op.create_table(
        "audit_log",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("action", sa.String(length=40), nullable=False),
        sa.Column("visibility", sa.String(length=10), nullable=False),
        sa.Column("via", sa.String(length=10), nullable=False),
        sa.Column("actor_id", BIG_ID, nullable=True),
        sa.Column("user_id", BIG_ID, nullable=True),
        sa.Column("topic_id", BIG_ID, nullable=True),
        sa.Column("reply_id", BIG_ID, nullable=True),
        sa.Column("node_id", BIG_ID, nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("details", sa.Text(), nullable=True),
        sa.Column("request_id", sa.String(length=100), nullable=True),
        sa.Column("trimmed_before", MOMENT, nullable=True),
        sa.CheckConstraint("via IN ('api', 'page', 'cli', 'auto')", name=op.f("ck_audit_log_via")),
        sa.CheckConstraint(
            "visibility IN ('public', 'staff', 'admin')", name=op.f("ck_audit_log_visibility")
        ),
        sa.CheckConstraint(
            "trimmed_before <= created_at", name=op.f("ck_audit_log_trimmed_before")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_audit_log")),
        sqlite_autoincrement=True,
    )
    for column in ("visibility", "action", "actor_id", "user_id", "topic_id"):
        op.create_index(f"ix_audit_log_{column}_id", "audit_log", [column, "id"])
    has_trimmed = sa.text("trimmed_before IS NOT NULL")
    op.create_index(
        "ix_audit_log_trimmed_before",
        "audit_log",
        ["trimmed_before"],
        sqlite_where=has_trimmed,
        postgresql_where=has_trimmed,
    )
    is_sqlite = op.get_context().dialect.name == "sqlite"
    for statement in SQLITE_GUARDS if is_sqlite else POSTGRESQL_GUARDS:
        op.execute(statement)


def downgrade() -> None:
    """Downgrade to the revision before; the audit log, restrictions and their ends are lost."""
    op.execute(
        "UPDATE users SET unread_count = unread_count - (SELECT count(*) FROM notifications n"
        " WHERE n.user_id = users.id AND n.type = 'Moderation' AND n.read_at IS NULL)"
        " WHERE id IN (SELECT user_id FROM notifications WHERE type = 'Moderation')"
    )
    op.execute("DELETE FROM notifications WHERE type = 'Moderation'")
    replace_check("ck_notifications_type", "notifications", f"type IN ({TYPES})")
    op.drop_column("notifications", "details")
    op.drop_table("audit_log")
    if op.get_context().dialect.name == "postgresql":
        op.execute("DROP FUNCTION audit_log_guard()")
    op.drop_table("restrictions")
    for column in ("is_builtin", "blocked_reason", "blocked_until", "blocked_at"):
        op.drop_column("users", column)
