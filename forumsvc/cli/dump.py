"""`forumsvc dump` and `forumsvc load`: the whole forum in one documented format."""

from pathlib import Path

import click

from ..db.engine import Database
from ..dump import Archive, load_dump, write_dump, write_tar
from ..models import JobKind
from ..oauth import explorer
from ..queries.jobs import counts
from ..services.search import reindexing
from .command import Command
from .context import Context, pass_context
from .terminal import Progress


@click.command(cls=Command)
@click.argument("dest", type=click.Path(path_type=Path))
@click.option("--secrets", is_flag=True, help="With password hashes, tokens, webhooks and jobs.")
@pass_context
def dump(context: Context, dest: Path, secrets: bool) -> None:
    """Write all that the forum has into a folder or a tar.

    It is a tar if DEST ends in .tar. DEST must not be there. The service may run meanwhile.
    """
    write = write_tar if dest.suffix == ".tar" else write_dump
    database = context.current_database()
    if not secrets:
        _warn_of_unfinished_accounts(context, database)
    manifest = write(database, dest, secrets=secrets)
    context.output(f"Wrote {manifest.rows} rows to {dest}.", rows=manifest.rows, secrets=secrets)


def _warn_of_unfinished_accounts(context: Context, database: Database) -> None:
    """Say that a dump without jobs has what is not erased yet, and nothing that erases it later."""
    with database.reads.connect() as db:
        number, _, failed = counts(db)[JobKind.ACCOUNT]
    if number + failed:
        context.print_status(
            f"Warning: {number + failed} erasures or renamings of accounts are not finished. This "
            "dump has the texts that are left, and after a load nothing goes on with them: make "
            "another one when `forumsvc jobs list --kind account` is empty, or use --secrets."
        )


class _Warnings:
    """The first few warnings of a load are shown, and how many more there are."""

    _MOST = 10

    def __init__(self, context: Context) -> None:
        self._context = context
        self._number = 0

    def show(self, warning: str) -> None:
        self._number += 1
        if self._number <= self._MOST:
            self._context.print_status(f"Taken as it is: {warning}")

    def sum_up(self) -> None:
        if self._number > self._MOST:
            self._context.print_status(f"And {self._number - self._MOST} more.")


@click.command(cls=Command)
@click.argument("source", type=click.Path(path_type=Path))
@click.option(
    "--trust-html",
    is_flag=True,
    help="Take its HTML of posts, and texts that today's rules forbid: for your own dump only.",
)
@pass_context
def load(context: Context, source: Path, trust_html: bool) -> None:
    """Load a dump into an empty database.

    All of it, or nothing. Empty is a database without users. Stop the service before. When all rows
    are loaded, their index for the search is made, which `search reindex` can do as well.
    """
    database = context.database
    warnings = _Warnings(context)
    archive = Archive(source)
    load_dump(database, archive, trust_html=trust_html, warn=warnings.show)
    warnings.sum_up()
    if context.settings["docs.enabled"]:
        with context.transaction() as db:
            explorer.register(db)
    rows = archive.manifest.rows
    context.print_status(f"Loaded {rows} rows. The service may be started.")
    with Progress("Indexing for the search") as bar:
        reindexing.reindex(database, progress=bar.show)
    lines = ["The search has its index."]
    if not (trust_html and archive.manifest.secrets):
        lines.append("Posts are shown as plain text until you run forumsvc content rerender.")
    if not archive.manifest.secrets:
        lines.append("Nobody has a password: people get a new one by mail, or by forumsvc user.")
    context.output("\n".join(lines), rows=rows)
