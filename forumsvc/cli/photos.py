"""`forumsvc photos …`: uploaded pictures."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict

import click

from .. import clock
from ..media.storage import Storage
from ..services.photo_audit import PhotoAudit
from ..services.photo_copy import PhotoCopy
from ..services.photo_storage import PhotoStorages, open_storages
from .command import Group
from .context import Context, Refused, pass_context, progress, yes_option

_ELSEWHERE = (
    "{rows} are kept: their file is in no storage that the settings name, and not said to be in "
    "that of photos.storage. Name its storage in the ini (photos.dir, photos.s3_…) and check again."
)
_LOST = (
    "{rows} rows and {avatars} avatars are kept whose file is not here. Another host may have it, "
    "if photos.dir is not one folder for all. If none has, --fix --delete-lost deletes the rows "
    "and clears the avatars."
)
_LOST_KINDS = ("rows_without_file", "lost_avatars")


@contextmanager
def _refusing() -> Iterator[None]:
    """Refuse the command where a storage fails."""
    try:
        yield
    except OSError as error:
        raise Refused(f"The photo storage cannot be used: {error}") from None


def _loss(counts: dict[str, int], *, delete_missing: bool) -> str:
    """Return what --fix takes away, in lines."""
    gone = "Files without a row and broken files are deleted for good"
    if delete_missing:
        gone += (
            ". Rows without a file are deleted too and lost avatars cleared: be sure that no other "
            "host has these files in a folder of its own"
        )
    else:
        counts = {what: number for what, number in counts.items() if what not in _LOST_KINDS}
    lines = [f"  {what.replace('_', ' ')}: {number}" for what, number in counts.items() if number]
    return "\n".join([f"{gone} (rows whose file may be elsewhere stay):", *lines])


@click.group(cls=Group)
def photos() -> None:
    """Look after the pictures."""


@photos.command()
@click.option("--fix", is_flag=True, help="Mend what is wrong.")
@click.option(
    "--delete-lost",
    "delete_missing",
    is_flag=True,
    help="With --fix: delete rows without a file, too. Only where no other host can have it.",
)
@click.option(
    "--every-byte", "verify_content", is_flag=True, help="Read every file, not only their sizes."
)
@yes_option
@pass_context
@click.pass_context
def check(
    ctx: click.Context,
    context: Context,
    fix: bool,
    delete_missing: bool,
    verify_content: bool,
    yes: bool,
) -> None:
    """Look for pictures that nobody refers to, and for those that are referred to and not there.

    With --fix, files without a row and broken files are deleted. Rows without a file stay, for
    another host may have it in a folder of its own. Where that cannot be, --fix --delete-lost
    deletes them, and users whose picture is lost get their letter again. What was put within the
    last hour is left alone, and so are rows whose file may be in a storage that the settings do not
    name.
    """
    if delete_missing and not fix:
        raise click.UsageError("--delete-lost goes with --fix.")
    database = context.current_database()
    storages = open_storages(context.settings, context.here)
    with progress() as bar:
        task = bar.add_task("Checking", total=None)
        audit = PhotoAudit(
            database,
            storages,
            clock.now(),
            verify_content=verify_content,
            progress=lambda: bar.advance(task),
        )
        with _refusing():
            found = audit.check()
    counts = found.counts
    wrong = sum(counts.values())
    lost = 0 if fix and delete_missing else sum(counts[kind] for kind in _LOST_KINDS)
    kept = lost + len(found.in_unknown_storage)
    if fix and wrong > kept:
        context.confirm(_loss(counts, delete_missing=delete_missing), yes=yes)
    tidied = 0
    if fix:
        with progress() as bar, _refusing():
            task = bar.add_task("Mending", total=None)
            tidied = audit.fix(found, delete_missing=delete_missing)
    fixed = wrong - kept if fix else 0
    lines = [f"{what.replace('_', ' ')}: {number}" for what, number in counts.items() if number]
    reasons = []
    if lost:
        reasons.append(_LOST.format(rows=len(found.missing), avatars=len(found.missing_avatars)))
    if found.in_unknown_storage:
        reasons.append(_ELSEWHERE.format(rows=len(found.in_unknown_storage)))
    lines += reasons
    if found.without_storage:
        done = "filled in" if fix else "--fix fills it in"
        lines.append(
            f"rows that do not say where their file is: {len(found.without_storage)} ({done})"
        )
    lines.append(f"{found.checked} checked, {wrong} wrong, {fixed} fixed.")
    context.answer(
        "\n".join(lines),
        checked=found.checked,
        wrong=wrong,
        fixed=fixed,
        unfinished_removed=tidied,
        rows_unplaced=len(found.without_storage),
        **counts,
    )
    if wrong > fixed:
        advice = " ".join(reasons) if fix else f"--fix mends {wrong - kept} of them."
        click.echo(f"Error: {wrong - fixed} of {found.checked} are wrong; {advice}", err=True)
        ctx.exit(1)


_WORDS = click.Choice(["local", "s3"])


@photos.command()
@click.option("--from", "source", type=_WORDS, required=True, help="Where the files are.")
@click.option("--to", "target", type=_WORDS, required=True, help="Where they are to be.")
@click.option("--delete", is_flag=True, help="Delete from the source what is safe in the target.")
@yes_option
@pass_context
@click.pass_context
def copy(
    ctx: click.Context, context: Context, source: str, target: str, delete: bool, yes: bool
) -> None:
    """Copy the pictures from one storage to another, beside the running service.

    Each file is read back and compared before its rows say that it is in the other storage. Stop
    it when you like: the next run goes on. Set photos.storage to the new storage and restart the
    service before, so that new pictures go there; leave the settings of both, so that it serves
    from both.
    """
    if source == target:
        raise click.UsageError("--from and --to name the same storage.")
    database = context.current_database()
    storages = open_storages(context.settings, context.here)
    place, other = ((word, _storage(storages, word)) for word in (source, target))
    if delete:
        context.confirm(
            f"The pictures in {source} are deleted there once they are in {target}.", yes=yes
        )
    with progress() as bar:
        task = bar.add_task("Copying", total=None)
        work = PhotoCopy(database, place, other, progress=lambda: bar.advance(task))
        try:
            result = work.run(delete=delete)
        except OSError as error:
            raise Refused(f"A photo storage cannot be used: {error}") from None
    lines = [
        f"{result.copied} copied ({result.bytes:,} bytes), {result.missing} missing, "
        f"{result.broken} broken, {result.deleted} deleted, {result.kept} kept."
    ]
    if storages.default != target:
        lines.append(
            f"photos.storage is {storages.default}: new pictures still go there. Set it to "
            f"{target}, restart the service and run this again."
        )
    context.answer("\n".join(lines), **asdict(result))
    failed = result.missing + result.broken
    if failed:
        click.echo(
            f"Error: {failed} pictures could not be copied; photos check tells more.", err=True
        )
        ctx.exit(1)


def _storage(storages: PhotoStorages, word: str) -> Storage:
    storage = storages.get(word)
    if storage is None:
        raise Refused("photos.s3_bucket: missing; s3 needs a bucket's name")
    return storage
