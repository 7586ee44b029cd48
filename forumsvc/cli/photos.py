"""`forumsvc photos …`: uploaded pictures."""

import click

from .. import clock
from ..services.photo_audit import PhotoAudit
from ..services.photo_storage import open_storages
from .command import Group
from .context import Context, Refused, pass_context, progress

_ELSEWHERE = (
    "{rows} are kept: their file is in no storage that the settings name, and not said to be in "
    "that of photos.storage. Name its storage in the ini (photos.dir, photos.s3_…) and check again."
)


@click.group(cls=Group)
def photos() -> None:
    """Look after the pictures."""


@photos.command()
@click.option("--fix", is_flag=True, help="Mend what is wrong.")
@click.option("--every-byte", is_flag=True, help="Read every file, not only their sizes.")
@pass_context
@click.pass_context
def check(ctx: click.Context, context: Context, fix: bool, every_byte: bool) -> None:
    """Look for pictures that nobody refers to, and for those that are referred to and not there.

    With --fix, files without a row and broken files are deleted, rows without a file are deleted,
    and users whose picture is lost get their letter again. What was put within the last hour is
    left alone, and so are rows whose file may be in a storage that the settings do not name.
    """
    database = context.current_database()
    storages = open_storages(context.settings, context.here)
    with progress() as bar:
        task = bar.add_task("Checking", total=None)
        audit = PhotoAudit(
            database,
            storages,
            clock.now(),
            every_byte=every_byte,
            done=lambda: bar.advance(task),
        )
        try:
            found = audit.check()
            tidied = audit.mend(found) if fix else 0
        except OSError as error:
            raise Refused(f"The photo storage cannot be used: {error}") from None
    counts = found.counts
    wrong, kept = sum(counts.values()), len(found.elsewhere)
    fixed = wrong - kept if fix else 0
    lines = [f"{what.replace('_', ' ')}: {number}" for what, number in counts.items() if number]
    if kept:
        lines.append(_ELSEWHERE.format(rows=kept))
    if found.unplaced:
        done = "filled in" if fix else "--fix fills it in"
        lines.append(f"rows that do not say where their file is: {len(found.unplaced)} ({done})")
    lines.append(f"{found.checked} checked, {wrong} wrong, {fixed} fixed.")
    context.answer(
        "\n".join(lines),
        checked=found.checked,
        wrong=wrong,
        fixed=fixed,
        unfinished_removed=tidied,
        rows_unplaced=len(found.unplaced),
        **counts,
    )
    if wrong > fixed:
        advice = f"; {_ELSEWHERE.format(rows=kept)}" if fix else "; --fix mends them."
        click.echo(f"Error: {wrong - fixed} of {found.checked} are wrong{advice}", err=True)
        ctx.exit(1)
