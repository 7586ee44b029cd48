"""Let administrators set the name, the texts and the logo of the site."""

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None

_BIG_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_TEXTS = ("name", "tagline", "accent", "about", "rules", "privacy", "footer")


def upgrade() -> None:
    """Bring the schema to this revision."""
    op.create_table(
        "site_texts",
        sa.Column("id", _BIG_ID, autoincrement=False, nullable=False),
        *(sa.Column(name, sa.Text(), server_default="", nullable=False) for name in _TEXTS),
        sa.Column("logo", sa.String(100), server_default="", nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("id = 1", name=op.f("ck_site_texts_one_row")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_site_texts")),
    )


def downgrade() -> None:
    """Take the schema back to the revision before."""
    op.drop_table("site_texts")
