"""Give sections an order, and leave the topics of some nodes out of the forum's lists."""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None

_HIDDEN = sa.text("hidden_in_lists")


def upgrade() -> None:
    """Bring the schema to this revision."""
    op.add_column("sections", sa.Column("sort", sa.Integer(), server_default="0", nullable=False))
    hidden = sa.Column("hidden_in_lists", sa.Boolean(), server_default=sa.false(), nullable=False)
    op.add_column("nodes", hidden)
    only = {"sqlite_where": _HIDDEN, "postgresql_where": _HIDDEN}
    op.create_index("ix_nodes_hidden", "nodes", ["id"], **only)


def downgrade() -> None:
    """Take the schema back to the revision before."""
    op.drop_index("ix_nodes_hidden", "nodes")
    op.drop_column("nodes", "hidden_in_lists")
    op.drop_column("sections", "sort")
