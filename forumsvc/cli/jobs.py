"""`forumsvc jobs …`: what waits for the background worker, and what it has given up."""

import click

from .. import clock
from ..errors import NotFound
from ..models import JobKind, JobState
from ..queries.jobs import newest
from ..services import jobs as queue
from ..text.ids import MAX_ID
from .command import Group
from .context import Context, pass_context
from .options import limit_option, one_of
from .terminal import picked

_COLUMNS = ("id", "kind", "key", "state", "attempts", "created_at", "due_at", "error")
_KINDS = one_of(JobKind)
_ID = click.IntRange(1, MAX_ID)


jobs = Group("jobs")


@jobs.command("list")
@click.option("--kind", type=_KINDS, help="Only these.")
@click.option("--failed", is_flag=True, help="Only those that were given up.")
@limit_option
@pass_context
def list_(context: Context, kind: str | None, failed: bool, limit: int) -> None:
    """List the newest jobs: those that wait, those given up, and emails that were sent.

    Of periodic work and readers of events only those that fail, but with --kind periodic or consume
    all.
    """
    state = JobState.FAILED if failed else None
    with context.current_database().reads.connect() as db:
        result = newest(db, None if kind is None else JobKind(kind), state, limit)
    listed = picked(result, _COLUMNS)
    for item in listed:
        if item["state"] != JobState.WAITING:
            item["due_at"] = None
    context.output_list("jobs", listed, "There are no jobs.")


@jobs.command()
@click.argument("ids", metavar="[ID]...", type=_ID, nargs=-1)
@click.option("--all-failed", is_flag=True, help="All that were given up.")
@click.option("--kind", type=_KINDS, help="Of these only those of a kind.")
@pass_context
def retry(context: Context, ids: tuple[int, ...], all_failed: bool, kind: str | None) -> None:
    """Have jobs done again at once, with all their attempts. `jobs list` shows the ids."""
    if bool(ids) == all_failed or (ids and kind):
        raise click.UsageError("Give the ids of jobs, or --all-failed with or without --kind.")
    chosen = None if kind is None else JobKind(kind)
    with context.transaction() as db:
        again = queue.retry(db, clock.now(), ids=None if all_failed else ids, kind=chosen)
        _check(ids, again, ", or it is under way")
    context.output(f"Jobs that are due now: {len(again)}.", ids=again)


@jobs.command()
@click.argument("ids", metavar="ID...", type=_ID, nargs=-1, required=True)
@pass_context
def discard(context: Context, ids: tuple[int, ...]) -> None:
    """Delete jobs: what they were to do is not done."""
    with context.transaction() as db:
        gone = queue.discard(db, ids)
        _check(ids, gone)
    context.output(f"Jobs discarded: {len(gone)}.", ids=gone)


def _check(ids: tuple[int, ...], done: list[int], condition: str = "") -> None:
    """Raise NotFound, which undoes all, unless each of the jobs was found."""
    if missing := sorted({*ids} - {*done}):
        raise NotFound(f"There is no unfinished job {missing[0]}{condition}.")
