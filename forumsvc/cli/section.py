"""`forumsvc section …`: the groups of nodes."""

from typing import Any

import click

from .. import clock
from ..queries import nodes as reading
from ..services.posts import sections
from .command import Group
from .context import Context, pass_context
from .options import yes_option
from .terminal import picked

SORT = click.IntRange(-sections.MAX_SORT, sections.MAX_SORT)
_COLUMNS = ("id", "name", "sort")


section = Group("section")


@section.command()
@click.argument("name")
@click.option("--sort", metavar="N", type=SORT, default=0, help="The highest comes first.")
@pass_context
def add(context: Context, name: str, sort: int) -> None:
    """Add a section, which groups nodes."""
    with context.transaction() as db:
        added_id = sections.create(db, None, clock.now(), name, sort=sort)
    name = name.strip()
    context.output(f"Added section {added_id}, {name}.", id=added_id, name=name)


@section.command("list")
@pass_context
def list_(context: Context) -> None:
    """List all sections in the order of the forum."""
    with context.current_database().reads.connect() as db:
        rows = reading.all_sections(db)
    context.output_list("sections", picked(rows, _COLUMNS), "There are no sections.")


@section.command()
@click.argument("id_", metavar="ID", type=int)
@click.option("--name", metavar="NAME")
@click.option("--sort", metavar="N", type=SORT, help="The highest comes first.")
@pass_context
def edit(context: Context, id_: int, **values: Any) -> None:
    """Change the given fields of a section."""
    new = {name: value for name, value in values.items() if value is not None}
    if not new:
        raise click.UsageError("Nothing to change: give --name or --sort.")
    with context.transaction() as db:
        name = sections.edit(db, None, clock.now(), id_, new)
    context.output(f"Changed section {id_}, {name}.", id=id_, name=name)


@section.command()
@click.argument("id_", metavar="ID", type=int)
@yes_option
@pass_context
def delete(context: Context, id_: int, yes: bool) -> None:
    """Delete a section that has no nodes."""
    with context.current_database().reads.connect() as db:
        names = {row.id: row.name for row in reading.all_sections(db)}
    if id_ in names:
        context.confirm(f"Section {id_} ({names[id_]}) is deleted.", yes=yes)
    with context.transaction() as db:
        sections.delete(db, None, clock.now(), id_)
    context.output(f"Deleted section {id_}.", id=id_)
