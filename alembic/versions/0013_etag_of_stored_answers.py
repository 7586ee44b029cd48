"""Keep the ETag of an answer that is sent again to a repeated request."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("idempotency_keys", sa.Column("etag", sa.Text()))


def downgrade() -> None:
    op.drop_column("idempotency_keys", "etag")
