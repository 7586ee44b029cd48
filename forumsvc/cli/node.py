"""`forumsvc node …`: the categories of topics."""

from typing import Any

import click

from .. import clock
from ..queries import nodes as reading
from ..services.posts import nodes, sections
from .command import Group
from .context import Context, pass_context
from .options import yes_option
from .section import SORT
from .terminal import picked

_COLUMNS = (
    *("id", "name", "summary", "section_id", "section_name", "topics_count", "sort"),
    "hidden_in_lists",
)
_HIDE = "Leave its topics out of the forum's lists, or not; its own list has them."


node = Group("node")


@node.command()
@click.argument("name")
@click.option("--summary", metavar="S", default="", help="In Markdown.")
@click.option("--section", metavar="S", default="", help="Made where it is new.")
@click.option("--sort", metavar="N", type=SORT, default=0, help="The highest comes first.")
@click.option("--hide/--show", "hidden_in_lists", default=False, help=_HIDE)
@pass_context
def add(context: Context, name: str, section: str, **values: Any) -> None:
    """Add a node."""
    now = clock.now()
    with context.transaction() as db:
        section_id = sections.find_or_create(db, None, now, section)
        added_id = nodes.create(db, None, now, name, **values, section_id=section_id)
    name = name.strip()
    context.output(f"Added node {added_id}, {name}.", id=added_id, name=name)


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
@click.option("--hide/--show", "hidden_in_lists", default=None, help=_HIDE)
@pass_context
def edit(context: Context, id_: int, section: str | None, **values: Any) -> None:
    """Change the given fields of a node."""
    new = {name: value for name, value in values.items() if value is not None}
    if section is None and not new:
        raise click.UsageError(
            "Nothing to change: give --name, --summary, --section, --sort, --hide or --show."
        )
    now = clock.now()
    with context.transaction() as db:
        if section is not None:
            new["section_id"] = sections.find_or_create(db, None, now, section)
        name = nodes.edit(db, None, now, id_, new)
    context.output(f"Changed node {id_}, {name}.", id=id_, name=name)


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
        topics = f"Its topics go to {names[move_to]}." if move_to in names else ""
        context.confirm(
            f"Deleting node {id_} cannot be undone. It removes its name ({names[id_]}), summary "
            f"and address. {topics}",
            yes=yes,
        )
    with context.transaction() as db:
        moved = nodes.delete(db, None, clock.now(), id_, move_to=move_to)
    context.output(f"Deleted node {id_}; {moved} topics were moved.", id=id_, moved=moved)
