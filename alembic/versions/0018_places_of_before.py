"""Have people given places in the topics that they wrote, answered or followed before."""

from datetime import UTC, datetime

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None

_MOMENT = sa.DateTime(timezone=True)
_JOBS = sa.table(
    "jobs",
    sa.column("kind", sa.Text()),
    sa.column("data", sa.JSON()),
    sa.column("due_at", _MOMENT),
    sa.column("created_at", _MOMENT),
)


def upgrade() -> None:
    """Bring the schema to this revision."""
    db = op.get_bind()
    if db.scalar(sa.text("SELECT id FROM topics LIMIT 1")) is None:
        return
    # What is written from now on counts as unread. The background worker makes the places.
    newest = db.scalar(sa.text("SELECT max(id) FROM replies")) or 0
    data = {"last_reply_id": newest, "source": "topics", "last_id": 0}
    now = datetime.now(UTC)
    op.execute(_JOBS.insert().values(kind="places", data=data, due_at=now, created_at=now))


def downgrade() -> None:
    """Take the schema back to the revision before."""
    op.execute(_JOBS.delete().where(_JOBS.c.kind == "places"))
