"""`forumsvc node …`: the categories of topics."""

import click

from ..queries import nodes as reading
from ..services.posts import nodes
from .command import Group
from .context import Context, pass_context
from .options import yes_option
from .terminal import picked

_COLUMNS = ("id", "name", "summary", "section_id", "section_name", "topics_count", "sort")
SORT = click.IntRange(-nodes.MAX_SORT, nodes.MAX_SORT)


node = Group("node")


@node.command()
@click.argument("name")
@click.option("--summary", metavar="S", default="", help="In Markdown.")
@click.option("--section", metavar="S", default="", help="Made where it is new.")
@click.option("--sort", metavar="N", type=SORT, default=0, help="The highest comes first.")
@pass_context
def add(context: Context, name: str, summary: str, section: str, sort: int) -> None:
    """Add a node."""
    with context.transaction() as db:
        added = nodes.create(db, name, summary=summary, section=section, sort=sort)
    context.output(f"Added node {added.id}, {added.name}.", id=added.id, name=added.name)


@node.command("list")
@pass_context
def list_(context: Context) -> None:
    """List all nodes in the order of the forum."""
    with context.current_database().reads.connect() as db:
        rows = reading.all_nodes(db)
    listed = picked(rows, _COLUMNS)
    columns = ("id", "name", "section_name", "sort", "topics_count")
    context.output_list("nodes", listed, "There are no nodes.", columns=columns)


@node.command()
@click.argument("id_", metavar="ID", type=int)
@click.option("--name", metavar="NAME")
@click.option("--summary", metavar="S", help="In Markdown.")
@click.option("--section", metavar="S", help="Made where it is new; '' for none.")
@click.option("--sort", metavar="N", type=SORT, help="The highest comes first.")
@pass_context
def edit(
    context: Context,
    id_: int,
    name: str | None,
    summary: str | None,
    section: str | None,
    sort: int | None,
) -> None:
    """Change the given fields of a node."""
    if all(value is None for value in (name, summary, section, sort)):
        raise click.UsageError("Nothing to change: give --name, --summary, --section or --sort.")
    with context.transaction() as db:
        edited = nodes.edit(db, id_, name=name, summary=summary, section=section, sort=sort)
    context.output(f"Changed node {edited.id}, {edited.name}.", id=edited.id, name=edited.name)


@node.command()
@click.argument("id_", metavar="ID", type=int)
@click.option("--move-to", metavar="ID", type=int, help="The node that gets its topics.")
@yes_option
@pass_context
def delete(context: Context, id_: int, move_to: int | None, yes: bool) -> None:
    """Delete a node that has no topics, or move its topics to another one."""
    with context.current_database().reads.connect() as db:
        names = {row.id: row.name for row in reading.all_nodes(db)}
    if id_ in names:
        topics = f"Its topics go to {names[move_to]}. " if move_to in names else ""
        context.confirm(
            f"Deleting node {id_} cannot be undone. It removes its name ({names[id_]}), summary "
            f"and address. {topics}A section without other nodes is removed, too.",
            yes=yes,
        )
    with context.transaction() as db:
        moved = nodes.delete(db, id_, move_to=move_to)
    context.output(f"Deleted node {id_}; {moved} topics were moved.", id=id_, moved=moved)
