"""Migrations behind the newest one, to try upgrades with: each changes what is there already."""

import shutil
from pathlib import Path

import pytest

from forumsvc import migrate

HEAD = migrate.head()
FIRST, SECOND, THIRD = "later1", "later2", "later3"
MIGRATION = '''"""{summary}."""

import sqlalchemy as sa
from alembic import op
from forumsvc.db.online_ddl import create_index, drop_index

revision, down_revision, branch_labels, depends_on = "{revision}", "{before}", None, None


def upgrade() -> None:
    {up}


def downgrade() -> None:
    {down}
'''
MIGRATIONS = {
    FIRST: (
        "Add a column to topics",
        'op.add_column("topics", sa.Column("extra", sa.Text()))',
        'op.drop_column("topics", "extra")',
    ),
    SECOND: (
        "Index topics",
        'create_index("ix_topics_extra", "topics", ["extra"])',
        'drop_index("ix_topics_extra", "topics")',
    ),
    THIRD: (
        "Add a column to tokens",
        'op.add_column("oauth_tokens", sa.Column("extra", sa.Text()))',
        'op.drop_column("oauth_tokens", "extra")',
    ),
}


def install(folder: Path, monkeypatch: pytest.MonkeyPatch, *revisions: str) -> None:
    """Let upgrades run these migrations, too, in this order. folder: for a copy of all."""
    shutil.copytree(migrate.script_location(), folder)
    before = HEAD
    for revision in revisions:
        summary, up, down = MIGRATIONS[revision]
        text = MIGRATION.format(summary=summary, revision=revision, before=before, up=up, down=down)
        (folder / "versions" / f"{revision}.py").write_text(text)
        before = revision
    monkeypatch.setattr(migrate, "script_location", lambda: folder)
