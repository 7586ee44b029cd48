"""Add the pause of webhooks, and indexes that the background worker and long lists need."""

import sqlalchemy as sa
from alembic import op

from forumsvc.db.online_ddl import create_index, drop_index

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None

_INDEXES = {
    "ix_webhook_deliveries_webhook_id_state_id_due_at": (
        "webhook_deliveries",
        ["webhook_id", "state", "id", "due_at"],
    ),
    "ix_events_type_xid_id": ("events", ["type", "xid", "id"]),
    "ix_held_posts_state_id": ("held_posts", ["state", "id"]),
    "ix_audit_log_created_at": ("audit_log", ["created_at"]),
    "ix_mails_finished_at": ("mails", ["finished_at"]),
}


def upgrade() -> None:
    """Upgrade to this revision."""
    for name, (table, columns) in _INDEXES.items():
        create_index(name, table, columns)
    op.add_column("webhooks", sa.Column("resume_at", sa.DateTime(timezone=True), nullable=True))


def downgrade() -> None:
    """Downgrade to the revision before."""
    for name, (table, _) in reversed(_INDEXES.items()):
        drop_index(name, table)
    op.drop_column("webhooks", "resume_at")
