"""`forumsvc photos …`: uploaded photos."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict

import click

from .. import clock
from ..media.storage import Storage
from ..services.photos.audit import PhotoAudit
from ..services.photos.copy import PhotoCopy
from ..services.photos.storage import PhotoStorages, open_storages
from .command import Group
from .context import CommandError, Context, pass_context
from .options import yes_option
from .terminal import Progress

_MISPLACED = (
    "{rows} are kept: their file is in no storage of the settings, and they do not refer to that "
    "of photos.storage. Set its storage in the ini file (photos.dir, photos.s3_…) and check again."
)
_LOST = (
    "{rows} rows and {avatars} avatars are kept: their file is not here. Another host may have it "
    "if photos.dir is not shared. If none has it, --fix --delete-lost deletes the rows and clears "
    "the avatars; a lost logo becomes that of the ini file."
)
_LOST_KINDS = ("rows_without_file", "lost_avatars", "lost_logos")


@contextmanager
def _storage_errors() -> Iterator[None]:
    """Raise CommandError if a storage fails."""
    try:
        yield
    except OSError as error:
        raise CommandError(f"A photo storage cannot be used: {error}") from None


def _consequences(counts: dict[str, int], *, delete_missing: bool) -> str:
    """Return what --fix deletes, in lines."""
    effects = "Files without a row and broken files are deleted for good"
    if delete_missing:
        effects += (
            ". Rows without a file are deleted too and lost avatars cleared: be sure that no other "
            "host has these files in a folder of its own"
        )
    else:
        counts = {kind: number for kind, number in counts.items() if kind not in _LOST_KINDS}
    lines = [f"  {kind.replace('_', ' ')}: {number}" for kind, number in counts.items() if number]
    return "\n".join([f"{effects} (rows whose file may be elsewhere stay):", *lines])


photos = Group("photos")


@photos.command()
@click.option("--fix", is_flag=True, help="Fix what is wrong.")
@click.option(
    "--delete-lost",
    "delete_missing",
    is_flag=True,
    help="With --fix: also delete rows without a file. Use it only if no other host can have it.",
)
@click.option(
    "--every-byte",
    "verify_content",
    is_flag=True,
    help="Read all files, not only their sizes.",
)
@yes_option
@pass_context
def check(
    context: Context,
    fix: bool,
    delete_missing: bool,
    verify_content: bool,
    yes: bool,
) -> None:
    """Find photos without a reference, and references without a photo.

    With --fix, files without a row and broken files are deleted. Rows without a file stay, because
    another host may have it in a folder of its own. If that cannot be, --fix --delete-lost deletes
    them, and users whose avatar is lost get their letter avatar again. Files of the last hour are
    left alone, and so are rows whose file may be in a storage that the settings do not name.
    """
    if delete_missing and not fix:
        raise click.UsageError("--delete-lost goes with --fix.")
    database = context.current_database()
    storages = open_storages(context.settings, context.ini_dir)
    with Progress("Checking") as bar:
        audit = PhotoAudit(
            database,
            storages,
            clock.now(),
            verify_content=verify_content,
            progress=bar.advance,
        )
        with _storage_errors():
            report = audit.check()
    counts = report.counts
    wrong = sum(counts.values())
    lost = 0 if fix and delete_missing else sum(counts[kind] for kind in _LOST_KINDS)
    not_deleted = lost + len(report.in_unknown_storage)
    if fix and wrong > not_deleted:
        context.confirm(_consequences(counts, delete_missing=delete_missing), yes=yes)
    removed_partial_uploads = 0
    if fix:
        with Progress("Fixing"), _storage_errors():
            removed_partial_uploads = audit.fix(report, delete_missing=delete_missing)
    fixed = wrong - not_deleted if fix else 0
    lines = [
        f"{problem.replace('_', ' ')}: {number}" for problem, number in counts.items() if number
    ]
    reasons = []
    if lost:
        reasons.append(_LOST.format(rows=len(report.missing), avatars=len(report.missing_avatars)))
    if report.in_unknown_storage:
        reasons.append(_MISPLACED.format(rows=len(report.in_unknown_storage)))
    lines += reasons
    lines.append(f"{report.checked} checked, {wrong} wrong, {fixed} fixed.")
    context.output(
        "\n".join(lines),
        checked=report.checked,
        wrong=wrong,
        fixed=fixed,
        unfinished_removed=removed_partial_uploads,
        **counts,
    )
    if wrong > fixed:
        advice = " ".join(reasons) if fix else f"--fix fixes {wrong - not_deleted} of them."
        raise CommandError(f"{wrong - fixed} of {report.checked} are wrong; {advice}")


_STORAGE_KIND = click.Choice(["local", "s3"])


@photos.command()
@click.option("--from", "source", type=_STORAGE_KIND, required=True, help="Where the files are.")
@click.option("--to", "target", type=_STORAGE_KIND, required=True, help="Where they are copied to.")
@click.option("--delete", is_flag=True, help="Then delete from the source what was copied.")
@yes_option
@pass_context
def copy(context: Context, source: str, target: str, delete: bool, yes: bool) -> None:
    """Copy the photos from one storage to another while the service runs.

    Each file is read back and compared before its rows refer to the other storage. You may stop
    the command: the next run continues. Before, set photos.storage to the new storage and restart
    the service, so that new photos go there; keep the settings of both storages, so that it serves
    from both.
    """
    if source == target:
        raise click.UsageError("--from and --to name the same storage.")
    database = context.current_database()
    storages = open_storages(context.settings, context.ini_dir)
    place, other = ((word, _storage(storages, word)) for word in (source, target))
    if delete:
        context.confirm(
            f"The photos in {source} are deleted there once they are in {target}.", yes=yes
        )
    with Progress("Copying") as bar:
        work = PhotoCopy(database, place, other, progress=bar.advance)
        with _storage_errors():
            result = work.run(delete=delete)
    lines = [
        f"{result.copied} copied ({result.bytes:,} bytes), {result.missing} missing, "
        f"{result.broken} broken, {result.deleted} deleted, {result.kept} kept."
    ]
    if storages.default != target:
        lines.append(
            f"photos.storage is {storages.default}: new photos still go there. Set it to "
            f"{target}, restart the service and run this again."
        )
    context.output("\n".join(lines), **asdict(result))
    failed = result.missing + result.broken
    if failed:
        raise CommandError(f"{failed} photos could not be copied; see photos check.")


def _storage(storages: PhotoStorages, word: str) -> Storage:
    storage = storages.get(word)
    if storage is None:
        raise CommandError("photos.s3_bucket: missing; s3 needs a bucket's name")
    return storage
