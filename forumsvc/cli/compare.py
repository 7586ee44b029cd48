"""`forumsvc compare`: whether two forums have the same rows."""

import tarfile
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import asdict
from pathlib import Path

import click

from ..dump import comparison
from ..settings.masking import mask_url
from .command import Command
from .context import CommandError, Context, pass_context
from .failures import command_errors
from .terminal import print_table


@click.command(cls=Command)
@click.argument("first", metavar="A", type=click.Path(exists=True, path_type=Path))
@click.argument("second", metavar="B", type=click.Path(exists=True, path_type=Path))
@pass_context
def compare(context: Context, first: Path, second: Path) -> None:
    """Compare two forums, each an ini file or a dump.

    Row by row, in any order. A service may run meanwhile. Exit status: 0 if they are
    the same, 1 if they differ, 2 after an error.
    """
    try:
        with command_errors(), ExitStack() as stack:
            one, other = (stack.enter_context(_open_side(path)) for path in (first, second))
            if one.database is not None and one.database == other.database:
                raise click.UsageError(f"A and B are the same database: {one.name}.")
            compared = [*comparison.compare(one, other)]
            not_compared = comparison.left_out(one, other)
    except CommandError as error:
        error.show()
        click.get_current_context().exit(2)
    except click.Abort:
        click.echo("Aborted.", err=True)
        click.get_current_context().exit(2)
    different = [item for item in compared if not item.is_same]
    if different and not context.as_json:
        print_table(
            ["Table", "Rows of A", "Rows of B", "Only in A", "Only in B"],
            [[item.table, *item.rows, *item.only] for item in different],
        )
    lines = [f"A: {one.name}", f"B: {other.name}"]
    lines.append(f"Compared {len(compared)} tables: {len(different)} differ.")
    if not_compared:
        lines.append(f"Not compared, for want of secrets: {', '.join(not_compared)}.")
    context.output(
        "\n".join(lines),
        same=not different,
        tables=[asdict(item) for item in compared],
        not_compared=not_compared,
    )
    click.get_current_context().exit(1 if different else 0)


def _open_side(path: Path) -> AbstractContextManager[comparison.Side]:
    if path.is_dir() or path.suffix == ".tar" or tarfile.is_tarfile(path):
        return nullcontext(comparison.open_dump_side(str(path), path))
    context = Context()
    context.ini = str(path)
    database = context.current_database()
    url = mask_url(database.url.render_as_string())
    return comparison.open_database_side(f"{path} ({url})", database)
