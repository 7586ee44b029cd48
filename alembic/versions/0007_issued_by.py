"""Record how each token was issued, for logging out everywhere."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

COMMAND_LINE = "forumsvc-cli"


def upgrade() -> None:
    """Upgrade to this revision."""
    # A token that older code inserts during a rolling deploy counts as one of a login.
    op.add_column(
        "oauth_tokens",
        sa.Column("issued_by", sa.String(length=10), nullable=False, server_default="login"),
    )
    op.execute(
        sa.text(
            "UPDATE oauth_tokens SET issued_by = 'admin' WHERE client_id ="
            " (SELECT id FROM oauth_clients WHERE client_id = :command_line)"
        ).bindparams(command_line=COMMAND_LINE)
    )
    op.execute("UPDATE oauth_tokens SET issued_by = 'client' WHERE user_id IS NULL")


def downgrade() -> None:
    """Downgrade to the revision before."""
    op.drop_column("oauth_tokens", "issued_by")
