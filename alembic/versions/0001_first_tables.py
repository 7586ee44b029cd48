"""The first tables of the forum."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

VISIBLE = "deleted_at IS NULL AND banned_at IS NULL"
BIG_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Upgrade to this revision."""
    op.create_table(
        "sections",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sections")),
        sa.UniqueConstraint("name", name=op.f("uq_sections_name")),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "users",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("login", sa.String(length=20), nullable=False),
        sa.Column("login_key", sa.String(length=20), nullable=False),
        sa.Column("email", sa.String(length=255), nullable=True),
        sa.Column("email_key", sa.String(length=255), nullable=True),
        sa.Column("email_public", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("password_hash", sa.String(length=255), nullable=True),
        sa.Column("role", sa.String(length=10), nullable=False),
        sa.Column("state", sa.String(length=10), nullable=False),
        sa.Column("name", sa.Text(), server_default="", nullable=False),
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
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
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
    op.create_index(
        "ix_users_popular",
        "users",
        ["state", "replies_count", "topics_count"],
    )
    op.create_table(
        "follow_notices",
        sa.Column("user_id", BIG_ID, nullable=False),
        sa.Column("target_id", BIG_ID, nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["target_id"], ["users.id"], name=op.f("fk_follow_notices_target_id")
        ),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_follow_notices_user_id")),
        sa.PrimaryKeyConstraint("user_id", "target_id", name=op.f("pk_follow_notices")),
    )
    op.create_index("ix_follow_notices_target_id", "follow_notices", ["target_id"])
    op.create_table(
        "nodes",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("summary", sa.Text(), server_default="", nullable=False),
        sa.Column("section_id", BIG_ID, nullable=True),
        sa.Column("sort", sa.Integer(), server_default="0", nullable=False),
        sa.Column("topics_count", sa.Integer(), server_default="0", nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("topics_count >= 0", name=op.f("ck_nodes_topics_count")),
        sa.ForeignKeyConstraint(["section_id"], ["sections.id"], name=op.f("fk_nodes_section_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_nodes")),
        sa.UniqueConstraint("name", name=op.f("uq_nodes_name")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_nodes_section_id", "nodes", ["section_id"])
    op.create_index("ix_nodes_sort_id", "nodes", ["sort", "id"])
    op.create_table(
        "oauth_clients",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("client_id", sa.String(length=64), nullable=False),
        sa.Column("secret_hash", sa.String(length=64), nullable=True),
        sa.Column("public", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("owner_id", BIG_ID, nullable=True),
        sa.Column("grants", sa.Text(), nullable=False),
        sa.Column("redirect_uris", sa.Text(), server_default="", nullable=False),
        sa.Column("scopes", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["owner_id"], ["users.id"], name=op.f("fk_oauth_clients_owner_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_oauth_clients")),
        sa.UniqueConstraint("client_id", name=op.f("uq_oauth_clients_client_id")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_oauth_clients_owner_id", "oauth_clients", ["owner_id"])
    op.create_table(
        "photos",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("user_id", BIG_ID, nullable=False),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("media_type", sa.String(length=20), nullable=False),
        sa.Column("width", sa.Integer(), nullable=False),
        sa.Column("height", sa.Integer(), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_photos_user_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_photos")),
        sa.UniqueConstraint("user_id", "digest", name=op.f("uq_photos_user_id_digest")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_photos_name", "photos", ["name"])
    op.create_table(
        "user_blocks",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("user_id", BIG_ID, nullable=False),
        sa.Column("target_id", BIG_ID, nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["target_id"], ["users.id"], name=op.f("fk_user_blocks_target_id")),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_user_blocks_user_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_user_blocks")),
        sa.UniqueConstraint("user_id", "target_id", name=op.f("uq_user_blocks_user_id_target_id")),
    )
    op.create_index("ix_user_blocks_target_id", "user_blocks", ["target_id"])
    op.create_index("ix_user_blocks_user_id_id", "user_blocks", ["user_id", "id"])
    op.create_table(
        "user_follows",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("user_id", BIG_ID, nullable=False),
        sa.Column("target_id", BIG_ID, nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["target_id"], ["users.id"], name=op.f("fk_user_follows_target_id")
        ),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_user_follows_user_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_user_follows")),
        sa.UniqueConstraint("user_id", "target_id", name=op.f("uq_user_follows_user_id_target_id")),
    )
    op.create_index("ix_user_follows_target_id_id", "user_follows", ["target_id", "id"])
    op.create_index("ix_user_follows_user_id_id", "user_follows", ["user_id", "id"])
    op.create_table(
        "oauth_tokens",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("client_id", BIG_ID, nullable=False),
        sa.Column("user_id", BIG_ID, nullable=True),
        sa.Column("family", sa.String(length=64), nullable=False),
        sa.Column("scope", sa.Text(), nullable=False),
        sa.Column("access_hash", sa.String(length=64), nullable=False),
        sa.Column("access_expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("refresh_hash", sa.String(length=64), nullable=True),
        sa.Column("refresh_expires_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("refreshed_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("revoked_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
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
    op.create_table(
        "topics",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("user_id", BIG_ID, nullable=False),
        sa.Column("node_id", BIG_ID, nullable=False),
        sa.Column("title", sa.String(length=255), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("body_html", sa.Text(), nullable=False),
        sa.Column("markup_version", sa.Integer(), nullable=False),
        sa.Column("excellent_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("closed_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("closed_by_id", BIG_ID, nullable=True),
        sa.Column("banned_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("deleted_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("replies_count", sa.Integer(), server_default="0", nullable=False),
        sa.Column("others_replies_count", sa.Integer(), server_default="0", nullable=False),
        sa.Column("likes_count", sa.Integer(), server_default="0", nullable=False),
        sa.Column("hits", sa.Integer(), server_default="0", nullable=False),
        sa.Column("last_reply_user_id", BIG_ID, nullable=True),
        sa.Column("replied_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("last_active_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
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
    _create_partial_index("ix_topics_active", "topics", ["last_active_at", "id"], VISIBLE)
    _create_partial_index(
        "ix_topics_excellent", "topics", ["id"], f"{VISIBLE} AND excellent_at IS NOT NULL"
    )
    _create_partial_index(
        "ix_topics_no_reply", "topics", ["id"], f"{VISIBLE} AND replies_count = 0"
    )
    _create_partial_index(
        "ix_topics_node_active", "topics", ["node_id", "last_active_at", "id"], VISIBLE
    )
    _create_partial_index(
        "ix_topics_node_excellent",
        "topics",
        ["node_id", "id"],
        f"{VISIBLE} AND excellent_at IS NOT NULL",
    )
    op.create_index("ix_topics_node_id", "topics", ["node_id"])
    _create_partial_index(
        "ix_topics_node_no_reply", "topics", ["node_id", "id"], f"{VISIBLE} AND replies_count = 0"
    )
    _create_partial_index(
        "ix_topics_node_popular",
        "topics",
        ["node_id", "likes_count", "replies_count", "id"],
        VISIBLE,
    )
    _create_partial_index("ix_topics_node_recent", "topics", ["node_id", "id"], VISIBLE)
    _create_partial_index(
        "ix_topics_popular", "topics", ["likes_count", "replies_count", "id"], VISIBLE
    )
    _create_partial_index("ix_topics_recent", "topics", ["id"], VISIBLE)
    _create_partial_index(
        "ix_topics_user_likes", "topics", ["user_id", "likes_count", "id"], VISIBLE
    )
    _create_partial_index("ix_topics_user_recent", "topics", ["user_id", "id"], VISIBLE)
    _create_partial_index(
        "ix_topics_user_replies", "topics", ["user_id", "replies_count", "id"], VISIBLE
    )
    op.create_table(
        "favorites",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("user_id", BIG_ID, nullable=False),
        sa.Column("topic_id", BIG_ID, nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["topic_id"], ["topics.id"], name=op.f("fk_favorites_topic_id")),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_favorites_user_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_favorites")),
        sa.UniqueConstraint("user_id", "topic_id", name=op.f("uq_favorites_user_id_topic_id")),
    )
    op.create_index("ix_favorites_topic_id", "favorites", ["topic_id"])
    op.create_index("ix_favorites_user_id_id", "favorites", ["user_id", "id"])
    op.create_table(
        "replies",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("topic_id", BIG_ID, nullable=False),
        sa.Column("user_id", BIG_ID, nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("body_html", sa.Text(), nullable=False),
        sa.Column("markup_version", sa.Integer(), nullable=False),
        sa.Column("likes_count", sa.Integer(), server_default="0", nullable=False),
        sa.Column("deleted_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("likes_count >= 0", name=op.f("ck_replies_likes_count")),
        sa.ForeignKeyConstraint(["topic_id"], ["topics.id"], name=op.f("fk_replies_topic_id")),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_replies_user_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_replies")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_replies_topic_id_id", "replies", ["topic_id", "id"])
    _create_partial_index(
        "ix_replies_user_id_id", "replies", ["user_id", "id"], "deleted_at IS NULL"
    )
    op.create_table(
        "topic_follows",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("user_id", BIG_ID, nullable=False),
        sa.Column("topic_id", BIG_ID, nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["topic_id"], ["topics.id"], name=op.f("fk_topic_follows_topic_id")
        ),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_topic_follows_user_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_topic_follows")),
        sa.UniqueConstraint("user_id", "topic_id", name=op.f("uq_topic_follows_user_id_topic_id")),
    )
    op.create_index("ix_topic_follows_topic_id", "topic_follows", ["topic_id"])
    op.create_table(
        "topic_likes",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("user_id", BIG_ID, nullable=False),
        sa.Column("topic_id", BIG_ID, nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["topic_id"], ["topics.id"], name=op.f("fk_topic_likes_topic_id")),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_topic_likes_user_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_topic_likes")),
        sa.UniqueConstraint("user_id", "topic_id", name=op.f("uq_topic_likes_user_id_topic_id")),
    )
    op.create_index("ix_topic_likes_topic_id", "topic_likes", ["topic_id"])
    op.create_table(
        "notifications",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("user_id", BIG_ID, nullable=False),
        sa.Column("actor_id", BIG_ID, nullable=False),
        sa.Column("type", sa.String(length=20), nullable=False),
        sa.Column("mention_type", sa.String(length=10), nullable=True),
        sa.Column("topic_id", BIG_ID, nullable=True),
        sa.Column("reply_id", BIG_ID, nullable=True),
        sa.Column("node_id", BIG_ID, nullable=True),
        sa.Column("read_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint(
            "mention_type IN ('Topic', 'Reply')", name=op.f("ck_notifications_mention_type")
        ),
        sa.CheckConstraint(
            "type IN ('Topic', 'TopicReply', 'Mention', 'Follow', 'NodeChanged')",
            name=op.f("ck_notifications_type"),
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
    _create_partial_index(
        "ix_notifications_unread", "notifications", ["user_id"], "read_at IS NULL"
    )
    op.create_index("ix_notifications_user_id_id", "notifications", ["user_id", "id"])
    op.create_table(
        "reply_likes",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("user_id", BIG_ID, nullable=False),
        sa.Column("reply_id", BIG_ID, nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["reply_id"], ["replies.id"], name=op.f("fk_reply_likes_reply_id")),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_reply_likes_user_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_reply_likes")),
        sa.UniqueConstraint("user_id", "reply_id", name=op.f("uq_reply_likes_user_id_reply_id")),
    )
    op.create_index("ix_reply_likes_reply_id", "reply_likes", ["reply_id"])


def _create_partial_index(name: str, table: str, columns: list[str], where: str) -> None:
    only = sa.text(where)
    op.create_index(name, table, columns, sqlite_where=only, postgresql_where=only)


def downgrade() -> None:
    """Downgrade to the revision before."""
    op.drop_table("reply_likes")
    op.drop_table("notifications")
    op.drop_table("topic_likes")
    op.drop_table("topic_follows")
    op.drop_table("replies")
    op.drop_table("favorites")
    op.drop_table("topics")
    op.drop_table("oauth_tokens")
    op.drop_table("user_follows")
    op.drop_table("user_blocks")
    op.drop_table("photos")
    op.drop_table("oauth_clients")
    op.drop_table("nodes")
    op.drop_table("follow_notices")
    op.drop_table("users")
    op.drop_table("sections")
