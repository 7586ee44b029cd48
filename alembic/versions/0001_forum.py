"""All tables of the forum."""

from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import TSVECTOR

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

# SQLite numbers rows only where the key is declared INTEGER.
BIG_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
MOMENT = sa.DateTime(timezone=True)
KEY = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
WORDS = sa.Text().with_variant(TSVECTOR(), "postgresql")
FTS5 = (
    """
    CREATE VIRTUAL TABLE {table}_fts USING fts5(
        words, content='{table}', content_rowid='id', detail=none, columnsize=0,
        tokenize="ascii tokenchars '=@_.+#-'"
    )
    """,
    """
    CREATE TRIGGER {table}_insert AFTER INSERT ON {table} BEGIN
        INSERT INTO {table}_fts(rowid, words) VALUES (new.id, new.words);
    END
    """,
    """
    CREATE TRIGGER {table}_delete AFTER DELETE ON {table} BEGIN
        INSERT INTO {table}_fts({table}_fts, rowid, words) VALUES ('delete', old.id, old.words);
    END
    """,
    """
    CREATE TRIGGER {table}_update AFTER UPDATE OF words ON {table} BEGIN
        INSERT INTO {table}_fts({table}_fts, rowid, words) VALUES ('delete', old.id, old.words);
        INSERT INTO {table}_fts(rowid, words) VALUES (new.id, new.words);
    END
    """,
)
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
    """Create all tables."""
    _create_users()
    _create_oauth()
    _create_posts()
    _create_notifications()
    _create_moderation()
    _create_audit_log()
    _create_events()
    _create_search()
    _create_background_work()


def _partial_index(
    name: str, table: str, columns: list[Any], where: str, *, unique: bool = False
) -> None:
    only = sa.text(where)
    op.create_index(name, table, columns, unique=unique, sqlite_where=only, postgresql_where=only)


def _create_users() -> None:
    op.create_table(
        "users",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("login", sa.String(20), nullable=False),
        sa.Column("login_key", sa.String(20), nullable=False),
        sa.Column("email", sa.String(255)),
        sa.Column("email_key", sa.String(255)),
        sa.Column("email_confirmed_at", MOMENT),
        sa.Column("unconfirmed_email", sa.String(255)),
        sa.Column("email_public", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("password_hash", sa.String(255)),
        sa.Column("role", sa.String(10), nullable=False),
        sa.Column("state", sa.String(10), nullable=False),
        sa.Column("blocked_at", MOMENT),
        sa.Column("blocked_until", MOMENT),
        sa.Column("blocked_reason", sa.Text()),
        sa.Column("awaits_approval", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("closes_at", MOMENT),
        sa.Column("closure_posts", sa.String(10)),
        sa.Column("unwanted_notifications", sa.Text(), server_default="", nullable=False),
        sa.Column("is_builtin", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("name", sa.Text(), server_default="", nullable=False),
        sa.Column("name_key", KEY, server_default="", nullable=False),
        sa.Column("location", sa.Text(), server_default="", nullable=False),
        sa.Column("company", sa.Text(), server_default="", nullable=False),
        sa.Column("codehost", sa.Text(), server_default="", nullable=False),
        sa.Column("microblog", sa.Text(), server_default="", nullable=False),
        sa.Column("website", sa.Text(), server_default="", nullable=False),
        sa.Column("bio", sa.Text(), server_default="", nullable=False),
        sa.Column("tagline", sa.Text(), server_default="", nullable=False),
        sa.Column("avatar", sa.Text(), server_default="", nullable=False),
        sa.Column("topics_count", sa.Integer(), server_default="0", nullable=False),
        sa.Column("replies_count", sa.Integer(), server_default="0", nullable=False),
        sa.Column("following_count", sa.Integer(), server_default="0", nullable=False),
        sa.Column("followers_count", sa.Integer(), server_default="0", nullable=False),
        sa.Column("favorites_count", sa.Integer(), server_default="0", nullable=False),
        sa.Column("unread_count", sa.Integer(), server_default="0", nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("updated_at", MOMENT, nullable=False),
        sa.CheckConstraint(
            "role IN ('member', 'vip', 'maintainer', 'admin')", name=op.f("ck_users_role")
        ),
        sa.CheckConstraint(
            "state IN ('active', 'blocked', 'deleted')", name=op.f("ck_users_state")
        ),
        sa.CheckConstraint("favorites_count >= 0", name=op.f("ck_users_favorites_count")),
        sa.CheckConstraint("followers_count >= 0", name=op.f("ck_users_followers_count")),
        sa.CheckConstraint("following_count >= 0", name=op.f("ck_users_following_count")),
        sa.CheckConstraint("replies_count >= 0", name=op.f("ck_users_replies_count")),
        sa.CheckConstraint("topics_count >= 0", name=op.f("ck_users_topics_count")),
        sa.CheckConstraint("unread_count >= 0", name=op.f("ck_users_unread_count")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_users")),
        sa.UniqueConstraint("email_key", name=op.f("uq_users_email_key")),
        sa.UniqueConstraint("login_key", name=op.f("uq_users_login_key")),
        sqlite_autoincrement=True,
    )
    _partial_index("ix_users_avatar", "users", ["avatar"], "avatar <> ''")
    _partial_index(
        "ix_users_blocked_until", "users", ["blocked_until"], "blocked_until IS NOT NULL"
    )
    _partial_index("ix_users_closes_at", "users", ["closes_at"], "closes_at IS NOT NULL")
    if op.get_context().dialect.name == "postgresql":
        op.create_index("ix_users_login_key_bytes", "users", [sa.text('login_key COLLATE "C"')])
    op.create_index("ix_users_name_key", "users", ["name_key"])
    op.create_index(
        "ix_users_popular",
        "users",
        ["state", sa.text("replies_count DESC"), sa.text("topics_count DESC"), "created_at", "id"],
    )
    _partial_index("ix_users_staff", "users", ["role", "id"], "role IN ('admin', 'maintainer')")
    _partial_index(
        "ix_users_unconfirmed",
        "users",
        ["created_at"],
        "email IS NOT NULL AND email_confirmed_at IS NULL",
    )
    op.create_table(
        "user_blocks",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("user_id", BIG_ID, nullable=False),
        sa.Column("target_id", BIG_ID, nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["target_id"], ["users.id"], name=op.f("fk_user_blocks_target_id")),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_user_blocks_user_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_user_blocks")),
        sa.UniqueConstraint("user_id", "target_id", name=op.f("uq_user_blocks_user_id_target_id")),
    )
    op.create_index("ix_user_blocks_target_id", "user_blocks", ["target_id"])
    op.create_index(
        "ix_user_blocks_user_id_id_target_id", "user_blocks", ["user_id", "id", "target_id"]
    )
    op.create_table(
        "user_follows",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("user_id", BIG_ID, nullable=False),
        sa.Column("target_id", BIG_ID, nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(
            ["target_id"], ["users.id"], name=op.f("fk_user_follows_target_id")
        ),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_user_follows_user_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_user_follows")),
        sa.UniqueConstraint("user_id", "target_id", name=op.f("uq_user_follows_user_id_target_id")),
    )
    op.create_index(
        "ix_user_follows_target_id_id_user_id", "user_follows", ["target_id", "id", "user_id"]
    )
    op.create_index("ix_user_follows_target_id_user_id", "user_follows", ["target_id", "user_id"])
    op.create_index(
        "ix_user_follows_user_id_id_target_id", "user_follows", ["user_id", "id", "target_id"]
    )
    op.create_table(
        "follow_notices",
        sa.Column("user_id", BIG_ID, nullable=False),
        sa.Column("target_id", BIG_ID, nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(
            ["target_id"], ["users.id"], name=op.f("fk_follow_notices_target_id")
        ),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_follow_notices_user_id")),
        sa.PrimaryKeyConstraint("user_id", "target_id", name=op.f("pk_follow_notices")),
    )
    op.create_index("ix_follow_notices_target_id", "follow_notices", ["target_id"])
    op.create_table(
        "login_failures",
        sa.Column("failed_at", MOMENT, nullable=False),
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("account", sa.String(64), nullable=False),
        sa.Column("address", sa.String(64), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_login_failures")),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "ix_login_failures_account_failed_at", "login_failures", ["account", "failed_at"]
    )
    op.create_index(
        "ix_login_failures_address_failed_at", "login_failures", ["address", "failed_at"]
    )
    op.create_index("ix_login_failures_failed_at", "login_failures", ["failed_at"])
    op.create_table(
        "login_successes",
        sa.Column("succeeded_at", MOMENT, nullable=False),
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("account", sa.String(64), nullable=False),
        sa.Column("address", sa.String(64), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_login_successes")),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "ix_login_successes_account_succeeded_at", "login_successes", ["account", "succeeded_at"]
    )
    op.create_index(
        "ix_login_successes_address_succeeded_at", "login_successes", ["address", "succeeded_at"]
    )
    op.create_index("ix_login_successes_succeeded_at", "login_successes", ["succeeded_at"])
    op.create_table(
        "login_addresses",
        sa.Column("user_id", BIG_ID, nullable=False),
        sa.Column("address", sa.String(64), nullable=False),
        sa.Column("seen_at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_login_addresses_user_id")),
        sa.PrimaryKeyConstraint("user_id", "address", name=op.f("pk_login_addresses")),
    )
    op.create_index("ix_login_addresses_seen_at", "login_addresses", ["seen_at"])
    op.create_table(
        "browser_sessions",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("secret_hash", sa.String(64), nullable=False),
        sa.Column("user_id", BIG_ID, nullable=False),
        sa.Column("browser", sa.String(60), server_default="", nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("expires_at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name=op.f("fk_browser_sessions_user_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_browser_sessions")),
        sa.UniqueConstraint("secret_hash", name=op.f("uq_browser_sessions_secret_hash")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_browser_sessions_expires_at", "browser_sessions", ["expires_at"])
    op.create_index("ix_browser_sessions_user_id", "browser_sessions", ["user_id"])
    op.create_table(
        "photos",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("user_id", BIG_ID, nullable=False),
        sa.Column("name", sa.String(100), nullable=False),
        sa.Column("media_type", sa.String(20), nullable=False),
        sa.Column("width", sa.Integer(), nullable=False),
        sa.Column("height", sa.Integer(), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("storage", sa.String(10), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_photos_user_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_photos")),
        sa.UniqueConstraint("user_id", "digest", name=op.f("uq_photos_user_id_digest")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_photos_name", "photos", ["name"])
    op.create_index("ix_photos_user_id_id", "photos", ["user_id", "id"])
    op.create_table(
        "data_exports",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("user_id", BIG_ID),
        sa.Column("storage", sa.String(10)),
        sa.Column("file", sa.String(64)),
        sa.Column("size", sa.BigInteger()),
        sa.Column("requested_at", MOMENT, nullable=False),
        sa.Column("ready_at", MOMENT),
        sa.Column("expires_at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_data_exports_user_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_data_exports")),
        sa.UniqueConstraint("user_id", name=op.f("uq_data_exports_user_id")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_data_exports_expires_at", "data_exports", ["expires_at"])


def _create_oauth() -> None:
    op.create_table(
        "oauth_clients",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("client_id", sa.String(64), nullable=False),
        sa.Column("secret_hash", sa.String(64)),
        sa.Column("public", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("name", sa.String(100), nullable=False),
        sa.Column("owner_id", BIG_ID),
        sa.Column("grants", sa.Text(), nullable=False),
        sa.Column("redirect_uris", sa.Text(), server_default="", nullable=False),
        sa.Column("scopes", sa.Text(), nullable=False),
        sa.Column("introspects", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["owner_id"], ["users.id"], name=op.f("fk_oauth_clients_owner_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_oauth_clients")),
        sa.UniqueConstraint("client_id", name=op.f("uq_oauth_clients_client_id")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_oauth_clients_owner_id", "oauth_clients", ["owner_id"])
    op.create_table(
        "oauth_codes",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("code_hash", sa.String(64), nullable=False),
        sa.Column("client_id", BIG_ID, nullable=False),
        sa.Column("user_id", BIG_ID, nullable=False),
        sa.Column("redirect_uri", sa.Text()),
        sa.Column("scope", sa.Text(), nullable=False),
        sa.Column("challenge", sa.String(43)),
        sa.Column("family", sa.String(64), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("expires_at", MOMENT, nullable=False),
        sa.Column("used_at", MOMENT),
        sa.ForeignKeyConstraint(
            ["client_id"], ["oauth_clients.id"], name=op.f("fk_oauth_codes_client_id")
        ),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_oauth_codes_user_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_oauth_codes")),
        sa.UniqueConstraint("code_hash", name=op.f("uq_oauth_codes_code_hash")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_oauth_codes_client_id", "oauth_codes", ["client_id"])
    op.create_index("ix_oauth_codes_expires_at", "oauth_codes", ["expires_at"])
    op.create_index("ix_oauth_codes_user_id", "oauth_codes", ["user_id"])
    op.create_table(
        "oauth_tokens",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("client_id", BIG_ID, nullable=False),
        sa.Column("user_id", BIG_ID),
        sa.Column("family", sa.String(64), nullable=False),
        sa.Column("scope", sa.Text(), nullable=False),
        sa.Column("access_hash", sa.String(64), nullable=False),
        sa.Column("access_expires_at", MOMENT, nullable=False),
        sa.Column("refresh_hash", sa.String(64)),
        sa.Column("refresh_expires_at", MOMENT),
        sa.Column("refresh_scope", sa.Text()),
        sa.Column("refreshed_at", MOMENT),
        sa.Column("revoked_at", MOMENT),
        sa.Column("issued_by", sa.String(10), server_default="login", nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(
            ["client_id"], ["oauth_clients.id"], name=op.f("fk_oauth_tokens_client_id")
        ),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_oauth_tokens_user_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_oauth_tokens")),
        sa.UniqueConstraint("access_hash", name=op.f("uq_oauth_tokens_access_hash")),
        sa.UniqueConstraint("refresh_hash", name=op.f("uq_oauth_tokens_refresh_hash")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_oauth_tokens_client_id", "oauth_tokens", ["client_id"])
    op.create_index("ix_oauth_tokens_family", "oauth_tokens", ["family"])
    op.create_index("ix_oauth_tokens_user_id", "oauth_tokens", ["user_id"])


def _create_posts() -> None:
    op.create_table(
        "sections",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("name", sa.String(100), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sections")),
        sa.UniqueConstraint("name", name=op.f("uq_sections_name")),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "nodes",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("name", sa.String(100), nullable=False),
        sa.Column("summary", sa.Text(), server_default="", nullable=False),
        sa.Column("section_id", BIG_ID),
        sa.Column("sort", sa.Integer(), server_default="0", nullable=False),
        sa.Column("topics_count", sa.Integer(), server_default="0", nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("updated_at", MOMENT, nullable=False),
        sa.CheckConstraint("topics_count >= 0", name=op.f("ck_nodes_topics_count")),
        sa.ForeignKeyConstraint(["section_id"], ["sections.id"], name=op.f("fk_nodes_section_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_nodes")),
        sa.UniqueConstraint("name", name=op.f("uq_nodes_name")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_nodes_section_id", "nodes", ["section_id"])
    op.create_index("ix_nodes_sort_id", "nodes", ["sort", "id"])
    op.create_table(
        "topics",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("user_id", BIG_ID, nullable=False),
        sa.Column("node_id", BIG_ID, nullable=False),
        sa.Column("title", sa.String(255), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("body_html", sa.Text(), nullable=False),
        sa.Column("markup_version", sa.Integer(), nullable=False),
        sa.Column("excellent_at", MOMENT),
        sa.Column("closed_at", MOMENT),
        sa.Column("closed_by_id", BIG_ID),
        sa.Column("banned_at", MOMENT),
        sa.Column("deleted_at", MOMENT),
        sa.Column("replies_count", sa.Integer(), server_default="0", nullable=False),
        sa.Column("others_replies_count", sa.Integer(), server_default="0", nullable=False),
        sa.Column("likes_count", sa.Integer(), server_default="0", nullable=False),
        sa.Column("hits", sa.Integer(), server_default="0", nullable=False),
        sa.Column("last_reply_user_id", BIG_ID),
        sa.Column("replied_at", MOMENT),
        sa.Column("last_active_at", MOMENT, nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("updated_at", MOMENT, nullable=False),
        sa.Column("version", sa.BigInteger(), server_default="0", nullable=False),
        sa.CheckConstraint("hits >= 0", name=op.f("ck_topics_hits")),
        sa.CheckConstraint("likes_count >= 0", name=op.f("ck_topics_likes_count")),
        sa.CheckConstraint(
            "others_replies_count >= 0", name=op.f("ck_topics_others_replies_count")
        ),
        sa.CheckConstraint("replies_count >= 0", name=op.f("ck_topics_replies_count")),
        sa.ForeignKeyConstraint(
            ["closed_by_id"], ["users.id"], name=op.f("fk_topics_closed_by_id")
        ),
        sa.ForeignKeyConstraint(
            ["last_reply_user_id"], ["users.id"], name=op.f("fk_topics_last_reply_user_id")
        ),
        sa.ForeignKeyConstraint(["node_id"], ["nodes.id"], name=op.f("fk_topics_node_id")),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_topics_user_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_topics")),
        sqlite_autoincrement=True,
    )
    _partial_index(
        "ix_topics_active",
        "topics",
        ["last_active_at", "id", "user_id"],
        "deleted_at IS NULL AND banned_at IS NULL",
    )
    _partial_index(
        "ix_topics_deleted", "topics", ["deleted_at"], "deleted_at IS NOT NULL AND body <> ''"
    )
    _partial_index(
        "ix_topics_excellent",
        "topics",
        ["id", "user_id"],
        "deleted_at IS NULL AND banned_at IS NULL AND excellent_at IS NOT NULL",
    )
    _partial_index(
        "ix_topics_hidden", "topics", ["id"], "deleted_at IS NOT NULL OR banned_at IS NOT NULL"
    )
    op.create_index("ix_topics_markup_version_id", "topics", ["markup_version", "id"])
    _partial_index(
        "ix_topics_no_reply",
        "topics",
        ["id", "user_id"],
        "deleted_at IS NULL AND banned_at IS NULL AND replies_count = 0",
    )
    _partial_index(
        "ix_topics_node_active",
        "topics",
        ["node_id", "last_active_at", "id", "user_id"],
        "deleted_at IS NULL AND banned_at IS NULL",
    )
    _partial_index(
        "ix_topics_node_excellent",
        "topics",
        ["node_id", "id", "user_id"],
        "deleted_at IS NULL AND banned_at IS NULL AND excellent_at IS NOT NULL",
    )
    op.create_index("ix_topics_node_id", "topics", ["node_id"])
    _partial_index(
        "ix_topics_node_no_reply",
        "topics",
        ["node_id", "id", "user_id"],
        "deleted_at IS NULL AND banned_at IS NULL AND replies_count = 0",
    )
    _partial_index(
        "ix_topics_node_popular",
        "topics",
        ["node_id", "likes_count", "replies_count", "id", "user_id"],
        "deleted_at IS NULL AND banned_at IS NULL",
    )
    _partial_index(
        "ix_topics_node_recent",
        "topics",
        ["node_id", "id", "user_id"],
        "deleted_at IS NULL AND banned_at IS NULL",
    )
    _partial_index(
        "ix_topics_popular",
        "topics",
        ["likes_count", "replies_count", "id", "user_id"],
        "deleted_at IS NULL AND banned_at IS NULL",
    )
    _partial_index(
        "ix_topics_recent", "topics", ["id", "user_id"], "deleted_at IS NULL AND banned_at IS NULL"
    )
    _partial_index(
        "ix_topics_user_hidden",
        "topics",
        ["user_id", "id"],
        "deleted_at IS NOT NULL OR banned_at IS NOT NULL",
    )
    _partial_index(
        "ix_topics_user_likes",
        "topics",
        ["user_id", "likes_count", "id"],
        "deleted_at IS NULL AND banned_at IS NULL",
    )
    _partial_index(
        "ix_topics_user_recent",
        "topics",
        ["user_id", "id"],
        "deleted_at IS NULL AND banned_at IS NULL",
    )
    _partial_index(
        "ix_topics_user_replies",
        "topics",
        ["user_id", "replies_count", "id"],
        "deleted_at IS NULL AND banned_at IS NULL",
    )
    op.create_table(
        "replies",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("topic_id", BIG_ID, nullable=False),
        sa.Column("user_id", BIG_ID, nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("body_html", sa.Text(), nullable=False),
        sa.Column("markup_version", sa.Integer(), nullable=False),
        sa.Column("likes_count", sa.Integer(), server_default="0", nullable=False),
        sa.Column("deleted_at", MOMENT),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("updated_at", MOMENT, nullable=False),
        sa.CheckConstraint("likes_count >= 0", name=op.f("ck_replies_likes_count")),
        sa.ForeignKeyConstraint(["topic_id"], ["topics.id"], name=op.f("fk_replies_topic_id")),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_replies_user_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_replies")),
        sqlite_autoincrement=True,
    )
    _partial_index(
        "ix_replies_deleted", "replies", ["deleted_at"], "deleted_at IS NOT NULL AND body <> ''"
    )
    op.create_index("ix_replies_markup_version_id", "replies", ["markup_version", "id"])
    op.create_index("ix_replies_topic_id_id", "replies", ["topic_id", "id"])
    _partial_index(
        "ix_replies_user_deleted", "replies", ["user_id", "id"], "deleted_at IS NOT NULL"
    )
    _partial_index(
        "ix_replies_user_id_id_topic_id",
        "replies",
        ["user_id", "id", "topic_id"],
        "deleted_at IS NULL",
    )
    op.create_table(
        "favorites",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("user_id", BIG_ID, nullable=False),
        sa.Column("topic_id", BIG_ID, nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["topic_id"], ["topics.id"], name=op.f("fk_favorites_topic_id")),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_favorites_user_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_favorites")),
        sa.UniqueConstraint("user_id", "topic_id", name=op.f("uq_favorites_user_id_topic_id")),
    )
    op.create_index("ix_favorites_topic_id", "favorites", ["topic_id"])
    op.create_index("ix_favorites_user_id_id_topic_id", "favorites", ["user_id", "id", "topic_id"])
    op.create_table(
        "topic_follows",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("user_id", BIG_ID, nullable=False),
        sa.Column("topic_id", BIG_ID, nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(
            ["topic_id"], ["topics.id"], name=op.f("fk_topic_follows_topic_id")
        ),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_topic_follows_user_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_topic_follows")),
        sa.UniqueConstraint("user_id", "topic_id", name=op.f("uq_topic_follows_user_id_topic_id")),
    )
    op.create_index("ix_topic_follows_topic_id_user_id", "topic_follows", ["topic_id", "user_id"])
    op.create_table(
        "topic_likes",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("user_id", BIG_ID, nullable=False),
        sa.Column("topic_id", BIG_ID, nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["topic_id"], ["topics.id"], name=op.f("fk_topic_likes_topic_id")),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_topic_likes_user_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_topic_likes")),
        sa.UniqueConstraint("user_id", "topic_id", name=op.f("uq_topic_likes_user_id_topic_id")),
    )
    op.create_index("ix_topic_likes_topic_id", "topic_likes", ["topic_id"])
    op.create_table(
        "reply_likes",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("user_id", BIG_ID, nullable=False),
        sa.Column("reply_id", BIG_ID, nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["reply_id"], ["replies.id"], name=op.f("fk_reply_likes_reply_id")),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_reply_likes_user_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_reply_likes")),
        sa.UniqueConstraint("user_id", "reply_id", name=op.f("uq_reply_likes_user_id_reply_id")),
    )
    op.create_index("ix_reply_likes_reply_id", "reply_likes", ["reply_id"])
    op.create_table(
        "idempotency_keys",
        sa.Column("user_id", BIG_ID, nullable=False),
        sa.Column("key", sa.String(255), nullable=False),
        sa.Column("request_digest", sa.String(64), nullable=False),
        sa.Column("status", sa.Integer()),
        sa.Column("location", sa.Text()),
        sa.Column("body", sa.Text()),
        sa.Column("etag", sa.Text()),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name=op.f("fk_idempotency_keys_user_id")
        ),
        sa.PrimaryKeyConstraint("user_id", "key", name=op.f("pk_idempotency_keys")),
    )
    op.create_index("ix_idempotency_keys_created_at", "idempotency_keys", ["created_at"])


def _create_notifications() -> None:
    op.create_table(
        "notifications",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("user_id", BIG_ID, nullable=False),
        sa.Column("actor_id", BIG_ID, nullable=False),
        sa.Column("type", sa.String(20), nullable=False),
        sa.Column("mention_type", sa.String(10)),
        sa.Column("topic_id", BIG_ID),
        sa.Column("reply_id", BIG_ID),
        sa.Column("node_id", BIG_ID),
        sa.Column("details", sa.Text()),
        sa.Column("read_at", MOMENT),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("updated_at", MOMENT, nullable=False),
        sa.CheckConstraint(
            "mention_type IN ('Topic', 'Reply')", name=op.f("ck_notifications_mention_type")
        ),
        sa.ForeignKeyConstraint(["actor_id"], ["users.id"], name=op.f("fk_notifications_actor_id")),
        sa.ForeignKeyConstraint(["node_id"], ["nodes.id"], name=op.f("fk_notifications_node_id")),
        sa.ForeignKeyConstraint(
            ["reply_id"], ["replies.id"], name=op.f("fk_notifications_reply_id")
        ),
        sa.ForeignKeyConstraint(
            ["topic_id"], ["topics.id"], name=op.f("fk_notifications_topic_id")
        ),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_notifications_user_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_notifications")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_notifications_node_id", "notifications", ["node_id"])
    op.create_index("ix_notifications_reply_id", "notifications", ["reply_id"])
    op.create_index("ix_notifications_topic_id", "notifications", ["topic_id"])
    _partial_index(
        "ix_notifications_unread_user_id_topic_id",
        "notifications",
        ["user_id", "topic_id"],
        "read_at IS NULL",
    )
    op.create_index("ix_notifications_user_id_id", "notifications", ["user_id", "id"])


def _create_moderation() -> None:
    op.create_table(
        "restrictions",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("user_id", BIG_ID, nullable=False),
        sa.Column("kind", sa.String(10), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("note", sa.Text()),
        sa.Column("by_id", BIG_ID),
        sa.Column("topic_id", BIG_ID),
        sa.Column("reply_id", BIG_ID),
        sa.Column("started_at", MOMENT, nullable=False),
        sa.Column("until", MOMENT),
        sa.Column("lifted_at", MOMENT),
        sa.Column("lifted_by_id", BIG_ID),
        sa.Column("review_id", BIG_ID),
        sa.CheckConstraint("kind IN ('silence', 'warning')", name=op.f("ck_restrictions_kind")),
        sa.ForeignKeyConstraint(["by_id"], ["users.id"], name=op.f("fk_restrictions_by_id")),
        sa.ForeignKeyConstraint(
            ["lifted_by_id"], ["users.id"], name=op.f("fk_restrictions_lifted_by_id")
        ),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_restrictions_user_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_restrictions")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_restrictions_by_id", "restrictions", ["by_id"])
    op.create_index("ix_restrictions_lifted_by_id", "restrictions", ["lifted_by_id"])
    op.create_index("ix_restrictions_user_id_id", "restrictions", ["user_id", "id"])
    op.create_table(
        "held_posts",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("user_id", BIG_ID, nullable=False),
        sa.Column("kind", sa.String(10), nullable=False),
        sa.Column("node_id", BIG_ID),
        sa.Column("topic_id", BIG_ID),
        sa.Column("reply_id", BIG_ID),
        sa.Column("title", sa.Text()),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("reason", sa.String(10), nullable=False),
        sa.Column("state", sa.String(10), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("closed_at", MOMENT),
        sa.CheckConstraint("kind IN ('topic', 'reply')", name=op.f("ck_held_posts_kind")),
        sa.CheckConstraint(
            "reason IN ('first_post', 'word', 'links')", name=op.f("ck_held_posts_reason")
        ),
        sa.CheckConstraint(
            "state IN ('waiting', 'released', 'refused', 'withdrawn')",
            name=op.f("ck_held_posts_state"),
        ),
        sa.ForeignKeyConstraint(["reply_id"], ["replies.id"], name=op.f("fk_held_posts_reply_id")),
        sa.ForeignKeyConstraint(["topic_id"], ["topics.id"], name=op.f("fk_held_posts_topic_id")),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_held_posts_user_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_held_posts")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_held_posts_reply_id", "held_posts", ["reply_id"])
    op.create_index("ix_held_posts_state_id", "held_posts", ["state", "id"])
    op.create_index("ix_held_posts_topic_id", "held_posts", ["topic_id"])
    op.create_index("ix_held_posts_user_id_id", "held_posts", ["user_id", "id"])
    op.create_table(
        "reviews",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("kind", sa.String(10), nullable=False),
        sa.Column("object_key", sa.String(30), nullable=False),
        sa.Column("topic_id", BIG_ID),
        sa.Column("reply_id", BIG_ID),
        sa.Column("held_post_id", BIG_ID),
        sa.Column("user_id", BIG_ID, nullable=False),
        sa.Column("reports_count", sa.Integer(), server_default="0", nullable=False),
        sa.Column("weight", sa.Integer(), server_default="0", nullable=False),
        sa.Column("hidden_by_service", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("state", sa.String(10), nullable=False),
        sa.Column("decision", sa.String(10)),
        sa.Column("reason", sa.Text()),
        sa.Column("resolved_by_id", BIG_ID),
        sa.Column("version", sa.Integer(), server_default="1", nullable=False),
        sa.Column("opened_at", MOMENT, nullable=False),
        sa.Column("resolved_at", MOMENT),
        sa.CheckConstraint(
            "decision IN ('approve', 'hide', 'delete', 'dismiss')", name=op.f("ck_reviews_decision")
        ),
        sa.CheckConstraint("kind IN ('reported', 'held', 'account')", name=op.f("ck_reviews_kind")),
        sa.CheckConstraint("state IN ('open', 'resolved')", name=op.f("ck_reviews_state")),
        sa.ForeignKeyConstraint(["reply_id"], ["replies.id"], name=op.f("fk_reviews_reply_id")),
        sa.ForeignKeyConstraint(
            ["resolved_by_id"], ["users.id"], name=op.f("fk_reviews_resolved_by_id")
        ),
        sa.ForeignKeyConstraint(["topic_id"], ["topics.id"], name=op.f("fk_reviews_topic_id")),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_reviews_user_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_reviews")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_reviews_reply_id", "reviews", ["reply_id"])
    op.create_index("ix_reviews_resolved_at", "reviews", ["resolved_at"])
    op.create_index("ix_reviews_resolved_by_id", "reviews", ["resolved_by_id"])
    op.create_index("ix_reviews_state_id", "reviews", ["state", "id"])
    op.create_index("ix_reviews_state_weight_id", "reviews", ["state", "weight", "id"])
    op.create_index("ix_reviews_topic_id", "reviews", ["topic_id"])
    op.create_index("ix_reviews_user_id", "reviews", ["user_id"])
    _partial_index(
        "uq_reviews_open",
        "reviews",
        ["object_key"],
        "state = 'open'",
        unique=True,
    )
    op.create_table(
        "reports",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("reporter_id", BIG_ID, nullable=False),
        sa.Column("review_id", BIG_ID, nullable=False),
        sa.Column("category", sa.String(10), nullable=False),
        sa.Column("comment", sa.Text(), server_default="", nullable=False),
        sa.Column("text", sa.Text()),
        sa.Column("is_established", sa.Boolean(), nullable=False),
        sa.Column("state", sa.String(10), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("resolved_at", MOMENT),
        sa.CheckConstraint(
            "category IN ('spam', 'abuse', 'off_topic', 'illegal', 'other')",
            name=op.f("ck_reports_category"),
        ),
        sa.CheckConstraint(
            "state IN ('open', 'upheld', 'dismissed')", name=op.f("ck_reports_state")
        ),
        sa.ForeignKeyConstraint(["reporter_id"], ["users.id"], name=op.f("fk_reports_reporter_id")),
        sa.ForeignKeyConstraint(["review_id"], ["reviews.id"], name=op.f("fk_reports_review_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_reports")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_reports_reporter_id_id", "reports", ["reporter_id", "id"])
    op.create_index("ix_reports_review_id_id", "reports", ["review_id", "id"])
    _partial_index(
        "uq_reports_open",
        "reports",
        ["review_id", "reporter_id"],
        "state = 'open'",
        unique=True,
    )
    op.create_table(
        "sweeps",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("user_id", BIG_ID, nullable=False),
        sa.Column("action", sa.String(10), nullable=False),
        sa.Column("since", MOMENT),
        sa.Column("reason", sa.Text()),
        sa.Column("actor_id", BIG_ID),
        sa.Column("posts_done", sa.Integer(), server_default="0", nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("finished_at", MOMENT),
        sa.CheckConstraint(
            "action IN ('hide', 'delete', 'restore')", name=op.f("ck_sweeps_action")
        ),
        sa.CheckConstraint("posts_done >= 0", name=op.f("ck_sweeps_posts_done")),
        sa.ForeignKeyConstraint(["actor_id"], ["users.id"], name=op.f("fk_sweeps_actor_id")),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_sweeps_user_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sweeps")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_sweeps_actor_id", "sweeps", ["actor_id"])
    op.create_index("ix_sweeps_user_id", "sweeps", ["user_id"])
    op.create_table(
        "swept_posts",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("sweep_id", BIG_ID, nullable=False),
        sa.Column("topic_id", BIG_ID, nullable=False),
        sa.Column("reply_id", BIG_ID),
        sa.Column("hidden_at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["reply_id"], ["replies.id"], name=op.f("fk_swept_posts_reply_id")),
        sa.ForeignKeyConstraint(["sweep_id"], ["sweeps.id"], name=op.f("fk_swept_posts_sweep_id")),
        sa.ForeignKeyConstraint(["topic_id"], ["topics.id"], name=op.f("fk_swept_posts_topic_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_swept_posts")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_swept_posts_reply_id", "swept_posts", ["reply_id"])
    op.create_index("ix_swept_posts_sweep_id", "swept_posts", ["sweep_id"])
    op.create_index("ix_swept_posts_topic_id", "swept_posts", ["topic_id"])
    op.create_table(
        "access_blocks",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("kind", sa.String(12), nullable=False),
        sa.Column("value", sa.String(320), nullable=False),
        sa.Column("severity", sa.String(10), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("by_id", BIG_ID),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("expires_at", MOMENT),
        sa.CheckConstraint(
            "kind IN ('address', 'email', 'email_domain')", name=op.f("ck_access_blocks_kind")
        ),
        sa.CheckConstraint(
            "severity IN ('approval', 'sign_up', 'write', 'all')",
            name=op.f("ck_access_blocks_severity"),
        ),
        sa.ForeignKeyConstraint(["by_id"], ["users.id"], name=op.f("fk_access_blocks_by_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_access_blocks")),
        sa.UniqueConstraint("kind", "value", name=op.f("uq_access_blocks_kind_value")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_access_blocks_by_id", "access_blocks", ["by_id"])
    op.create_table(
        "post_networks",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("user_id", BIG_ID, nullable=False),
        sa.Column("network", sa.String(64), nullable=False),
        sa.Column("last_post_at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_post_networks_user_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_post_networks")),
        sa.UniqueConstraint("user_id", "network", name=op.f("uq_post_networks_user_id_network")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_post_networks_last_post_at", "post_networks", ["last_post_at"])
    op.create_index("ix_post_networks_network", "post_networks", ["network"])


def _create_audit_log() -> None:
    op.create_table(
        "audit_log",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("action", sa.String(40), nullable=False),
        sa.Column("visibility", sa.String(10), nullable=False),
        sa.Column("via", sa.String(10), nullable=False),
        sa.Column("actor_id", BIG_ID),
        sa.Column("user_id", BIG_ID),
        sa.Column("topic_id", BIG_ID),
        sa.Column("reply_id", BIG_ID),
        sa.Column("node_id", BIG_ID),
        sa.Column("reason", sa.Text()),
        sa.Column("details", sa.Text()),
        sa.Column("request_id", sa.String(100)),
        sa.Column("trimmed_before", MOMENT),
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
    op.create_index("ix_audit_log_action_id", "audit_log", ["action", "id"])
    op.create_index("ix_audit_log_actor_id_id", "audit_log", ["actor_id", "id"])
    op.create_index("ix_audit_log_created_at", "audit_log", ["created_at"])
    op.create_index("ix_audit_log_topic_id_id", "audit_log", ["topic_id", "id"])
    _partial_index(
        "ix_audit_log_trimmed_before", "audit_log", ["trimmed_before"], "trimmed_before IS NOT NULL"
    )
    op.create_index("ix_audit_log_user_id_id", "audit_log", ["user_id", "id"])
    op.create_index("ix_audit_log_visibility_id", "audit_log", ["visibility", "id"])
    is_sqlite = op.get_context().dialect.name == "sqlite"
    for statement in SQLITE_GUARDS if is_sqlite else POSTGRESQL_GUARDS:
        op.execute(statement)


def _create_events() -> None:
    # SQLite has one writer at a time.
    is_sqlite = op.get_context().dialect.name == "sqlite"
    xid = sa.text("0" if is_sqlite else "(pg_current_xact_id()::text::bigint)")
    op.create_table(
        "events",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("xid", sa.BigInteger(), server_default=xid, nullable=False),
        sa.Column("type", sa.String(40), nullable=False),
        sa.Column("actor_id", BIG_ID),
        sa.Column("user_id", BIG_ID),
        sa.Column("topic_id", BIG_ID),
        sa.Column("reply_id", BIG_ID),
        sa.Column("node_id", BIG_ID),
        sa.Column("data", sa.Text()),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_events")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_events_type_xid_id", "events", ["type", "xid", "id"])
    op.create_index("ix_events_xid_id", "events", ["xid", "id"])
    op.create_table(
        "event_positions",
        sa.Column("consumer", sa.String(40), nullable=False),
        sa.Column("xid", sa.BigInteger(), nullable=False),
        sa.Column("id", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("consumer", name=op.f("pk_event_positions")),
    )
    op.create_table(
        "webhooks",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("description", sa.Text(), server_default="", nullable=False),
        sa.Column("events", sa.JSON(), nullable=False),
        sa.Column("node_ids", sa.JSON(none_as_null=True)),
        sa.Column("generation", sa.Integer(), server_default="1", nullable=False),
        sa.Column("rotated_at", MOMENT),
        sa.Column("active", sa.Boolean(), server_default=sa.true(), nullable=False),
        sa.Column("disabled_reason", sa.Text()),
        sa.Column("failing_since", MOMENT),
        sa.Column("created_by_id", BIG_ID),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(
            ["created_by_id"], ["users.id"], name=op.f("fk_webhooks_created_by_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_webhooks")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_webhooks_created_by_id", "webhooks", ["created_by_id"])
    op.create_table(
        "webhook_deliveries",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("webhook_id", BIG_ID, nullable=False),
        sa.Column("event_id", BIG_ID),
        sa.Column("state", sa.String(10), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("due_at", MOMENT, nullable=False),
        sa.Column("status", sa.Integer()),
        sa.Column("error", sa.Text()),
        sa.Column("milliseconds", sa.Integer()),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("delivered_at", MOMENT),
        sa.CheckConstraint(
            "state IN ('waiting', 'delivered', 'failed')", name=op.f("ck_webhook_deliveries_state")
        ),
        sa.ForeignKeyConstraint(
            ["webhook_id"],
            ["webhooks.id"],
            name=op.f("fk_webhook_deliveries_webhook_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_webhook_deliveries")),
        sa.UniqueConstraint(
            "webhook_id", "event_id", name=op.f("uq_webhook_deliveries_webhook_id_event_id")
        ),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_webhook_deliveries_created_at", "webhook_deliveries", ["created_at"])
    op.create_index(
        "ix_webhook_deliveries_webhook_id_state_due_at",
        "webhook_deliveries",
        ["webhook_id", "state", "due_at"],
    )
    op.create_index(
        "ix_webhook_deliveries_webhook_id_state_id_due_at",
        "webhook_deliveries",
        ["webhook_id", "state", "id", "due_at"],
    )


def _create_search() -> None:
    op.create_table(
        "topic_words",
        sa.Column("id", BIG_ID, autoincrement=False, nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("words", WORDS, nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_topic_words")),
    )
    op.create_index(op.f("ix_topic_words_created_at"), "topic_words", ["created_at"])
    if op.get_context().dialect.name == "postgresql":
        op.create_index(
            "ix_topic_words_words",
            "topic_words",
            ["words"],
            postgresql_using="gin",
            postgresql_with={"fastupdate": "off"},
        )
    op.create_table(
        "reply_words",
        sa.Column("id", BIG_ID, autoincrement=False, nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("words", WORDS, nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_reply_words")),
    )
    op.create_index(op.f("ix_reply_words_created_at"), "reply_words", ["created_at"])
    if op.get_context().dialect.name == "postgresql":
        op.create_index(
            "ix_reply_words_words",
            "reply_words",
            ["words"],
            postgresql_using="gin",
            postgresql_with={"fastupdate": "off"},
        )
    op.create_table(
        "search_pending_reindex",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_search_pending_reindex")),
    )
    if op.get_context().dialect.name == "sqlite":
        for table in ("topic_words", "reply_words"):
            for statement in FTS5:
                op.execute(statement.format(table=table))


def _create_background_work() -> None:
    op.create_table(
        "jobs",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("kind", sa.String(20), nullable=False),
        sa.Column("key", sa.String(40)),
        sa.Column("state", sa.String(10), server_default="waiting", nullable=False),
        sa.Column("due_at", MOMENT, nullable=False),
        sa.Column("locked_until", MOMENT),
        sa.Column("attempts", sa.Integer(), server_default="0", nullable=False),
        sa.Column("data", sa.JSON(), nullable=False),
        sa.Column("error", sa.Text()),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("finished_at", MOMENT),
        sa.CheckConstraint("state IN ('waiting', 'done', 'failed')", name=op.f("ck_jobs_state")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_jobs")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_jobs_finished_at", "jobs", ["finished_at"])
    op.create_index("ix_jobs_kind_key", "jobs", ["kind", "key"])
    op.create_index("ix_jobs_state_kind_due_at", "jobs", ["state", "kind", "due_at"])
    _partial_index(
        "uq_jobs_once",
        "jobs",
        ["kind", "key"],
        "kind IN ('deliver', 'index_topic', 'periodic', 'consume')",
        unique=True,
    )
    op.create_table(
        "hosts",
        sa.Column("name", sa.String(500), nullable=False),
        sa.Column("started_at", sa.BigInteger(), nullable=False),
        sa.Column("seen_at", sa.BigInteger(), nullable=False),
        sa.Column("clock_offset", sa.BigInteger(), nullable=False),
        sa.Column("salt", sa.String(64), nullable=False),
        sa.Column("secret_digest", sa.String(64), nullable=False),
        sa.Column("version", sa.String(100), nullable=False),
        sa.Column("build", sa.String(64), nullable=False),
        sa.Column("settings", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_hosts")),
    )
    for table, *columns in (
        (
            "deployment",
            sa.Column("host", sa.Text(), nullable=False),
            sa.Column("place", sa.Text(), nullable=False),
            sa.Column("copied_at", MOMENT),
        ),
        (
            "last_backup",
            sa.Column("made_at", MOMENT, nullable=False),
            sa.Column("file", sa.Text(), nullable=False),
        ),
    ):
        op.create_table(
            table,
            sa.Column("id", BIG_ID, autoincrement=False, nullable=False),
            *columns,
            sa.CheckConstraint("id = 1", name=op.f(f"ck_{table}_one_row")),
            sa.PrimaryKeyConstraint("id", name=op.f(f"pk_{table}")),
        )
    op.create_table(
        "change_marks",
        sa.Column("slot", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("lists", sa.BigInteger(), nullable=False),
        sa.Column("names", sa.BigInteger(), nullable=False),
        sa.Column("access", sa.BigInteger(), server_default="0", nullable=False),
        sa.PrimaryKeyConstraint("slot", name=op.f("pk_change_marks")),
    )


def downgrade() -> None:
    """Drop all tables, with all that is in them."""
    is_sqlite = op.get_context().dialect.name == "sqlite"
    if is_sqlite:
        for table in ("topic_words", "reply_words"):
            op.execute(f"DROP TABLE {table}_fts")
    for table in TABLES:
        op.drop_table(table)
    if not is_sqlite:
        op.execute("DROP FUNCTION audit_log_guard()")


TABLES = (
    "reports",
    "swept_posts",
    "reviews",
    "reply_likes",
    "notifications",
    "held_posts",
    "topic_likes",
    "topic_follows",
    "replies",
    "favorites",
    "webhook_deliveries",
    "topics",
    "oauth_tokens",
    "oauth_codes",
    "webhooks",
    "user_follows",
    "user_blocks",
    "sweeps",
    "restrictions",
    "post_networks",
    "photos",
    "data_exports",
    "oauth_clients",
    "nodes",
    "login_addresses",
    "idempotency_keys",
    "follow_notices",
    "browser_sessions",
    "access_blocks",
    "users",
    "topic_words",
    "sections",
    "search_pending_reindex",
    "reply_words",
    "login_successes",
    "login_failures",
    "jobs",
    "deployment",
    "last_backup",
    "hosts",
    "events",
    "event_positions",
    "change_marks",
    "audit_log",
)
"""Each before those that it refers to."""
