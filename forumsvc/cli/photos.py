"""`forumsvc photos …`: uploaded pictures."""

import click

from .. import clock
from ..services.photo_audit import PhotoAudit
from ..services.photo_storage import open_storage
from .command import Group
from .context import Context, Refused, pass_context, progress


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
    left alone.
    """
    database = context.current_database()
    storage = open_storage(context.settings, context.here)
    with progress() as bar:
        task = bar.add_task("Checking", total=None)
        audit = PhotoAudit(
            database,
            storage,
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
    wrong = sum(counts.values())
    fixed = wrong if fix else 0
    lines = [f"{what.replace('_', ' ')}: {number}" for what, number in counts.items() if number]
    lines.append(f"{found.checked} checked, {wrong} wrong, {fixed} fixed.")
    context.answer(
        "\n".join(lines),
        checked=found.checked,
        wrong=wrong,
        fixed=fixed,
        unfinished_removed=tidied,
        **counts,
    )
    if wrong > fixed:
        click.echo(f"Error: {wrong} of {found.checked} are wrong; --fix mends them.", err=True)
        ctx.exit(1)
