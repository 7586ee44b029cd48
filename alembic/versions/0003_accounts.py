"""Erasing and renaming accounts; deleting the bodies of deleted posts for good."""

from alembic import op

from forumsvc.db.online_ddl import create_index, drop_index, replace_check

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

_KINDS = "'mail', 'notify', 'deliver', 'sweep', 'index_topic', 'event', 'export'"
_HAS_BODY = "deleted_at IS NOT NULL AND body <> ''"


def upgrade() -> None:
    """Let jobs be of the kind `account`; find the deleted posts that have a body."""
    create_index("ix_topics_deleted", "topics", ["deleted_at"], _HAS_BODY)
    create_index("ix_replies_deleted", "replies", ["deleted_at"], _HAS_BODY)
    replace_check("ck_jobs_kind", "jobs", f"kind IN ({_KINDS}, 'account')")


def downgrade() -> None:
    """Delete the jobs of the kind `account`, which older code does not know."""
    drop_index("ix_replies_deleted", "replies")
    drop_index("ix_topics_deleted", "topics")
    op.execute("DELETE FROM jobs WHERE kind = 'account'")
    replace_check("ck_jobs_kind", "jobs", f"kind IN ({_KINDS})")
