"""Send emails about what happened: who wants them, and what is due."""

import sqlalchemy as sa
from alembic import op

from forumsvc.db import online_ddl

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None

MOMENT = sa.DateTime(timezone=True)
_CHOICES = ("mail_mention", "mail_reply", "mail_follow", "mail_moderation", "mail_digest")
_TIMES_OF_USERS = ("digest_at", "mail_refused_at")
_TIMES = ("mail_at", "mailed_at")
_ONCE = ("deliver", "index_topic", "periodic", "consume")
_MAIL = "notification_mail"


def upgrade() -> None:
    """Bring the schema to this revision."""
    op.add_column("users", sa.Column("locale", sa.String(10)))
    for name in _CHOICES:
        op.add_column("users", sa.Column(name, sa.String(10), nullable=False, server_default="off"))
    refusals = sa.Column("mail_refusals", sa.Integer(), nullable=False, server_default="0")
    op.add_column("users", refusals)
    for name in _TIMES_OF_USERS:
        op.add_column("users", sa.Column(name, MOMENT))
    for name in _TIMES:
        op.add_column("notifications", sa.Column(name, MOMENT))
    _index_once(*_ONCE, _MAIL)
    # All are of rows that there are none of yet: nobody waits long for them.
    for name in _TIMES_OF_USERS:
        online_ddl.create_index(f"ix_users_{name}", "users", [name], f"{name} IS NOT NULL")
    online_ddl.create_index(
        "ix_notifications_mail_at", "notifications", ["mail_at"], "mail_at IS NOT NULL"
    )
    online_ddl.create_index(
        "ix_notifications_mailed",
        "notifications",
        ["topic_id"],
        "mailed_at IS NOT NULL AND read_at IS NULL",
    )


def _index_once(*kinds: str) -> None:
    """Let there be one job at most of these kinds with a key."""
    name, words = "uq_jobs_once", ", ".join(f"'{kind}'" for kind in kinds)
    only = sa.text(f"kind IN ({words})")
    op.drop_index(name, "jobs")
    op.create_index(
        name, "jobs", ["kind", "key"], unique=True, sqlite_where=only, postgresql_where=only
    )


def downgrade() -> None:
    """Take the schema back to the revision before."""
    for name in ("ix_notifications_mailed", "ix_notifications_mail_at"):
        online_ddl.drop_index(name, "notifications")
    for name in _TIMES_OF_USERS:
        online_ddl.drop_index(f"ix_users_{name}", "users")
    op.execute(sa.text("DELETE FROM jobs WHERE kind = 'notification_mail'"))
    _index_once(*_ONCE)
    for name in _TIMES:
        op.drop_column("notifications", name)
    for name in (*_CHOICES, *_TIMES_OF_USERS, "mail_refusals", "locale"):
        op.drop_column("users", name)
