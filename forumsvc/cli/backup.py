"""`forumsvc backup` and `forumsvc restore`: the whole forum in one file."""

import tempfile
from collections.abc import Iterator
from datetime import datetime
from itertools import chain
from pathlib import Path

import click

from .. import clock
from ..db.engine import Database
from ..dump import (
    BackupBusy,
    DumpError,
    Loaded,
    Made,
    is_empty,
    make_backup,
    restore_backup,
    verify_backup,
)
from ..oauth import explorer
from ..queries import photos as photo_queries
from ..services import backups, event_consumers
from ..services.photos.storage import open_storages
from ..services.search import reindexing
from .command import Command, Group
from .context import CommandError, Context, pass_context
from .options import yes_option

_SECRETS = (
    "It holds all secrets of the database. The ini file, the environment file and the roles of "
    "PostgreSQL are not in it."
)
_MOST_NAMES = 10


class _Busy(CommandError):
    """Another backup is being made in the folder."""

    exit_code = backups.BUSY


class _WithDefault(Group):
    """`backup FILE` is `backup make FILE`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        named = self.commands.keys() & set(args)
        if args and not named and "--help" not in args:
            args = ["make", *args]
        return super().parse_args(ctx, args)


backup = _WithDefault(
    "backup", no_args_is_help=True, epilog="`backup FILE.tar` is short for `backup make FILE.tar`."
)
_file = click.argument("file", metavar="FILE", type=click.Path(path_type=Path, dir_okay=False))


@backup.command()
@_file
@click.option("--no-photos", "without_photos", is_flag=True, help="Leave the photo files out.")
@click.option("--no-verify", "unverified", is_flag=True, help="Do not load it to verify it.")
@click.option(
    "--keep",
    metavar="N",
    type=click.IntRange(1, 10_000),
    help="Then remove the oldest backups beside it whose names differ in digits only.",
)
@pass_context
def make(
    context: Context, file: Path, without_photos: bool, unverified: bool, keep: int | None
) -> None:
    """Make a backup, FILE.tar, and verify it. The service may run meanwhile.

    `forumsvc backup FILE.tar` is the same. FILE.tar must not be there. Exit status: 75 while
    another backup is being made in its folder, and while the database is away.
    """
    if file.suffix != ".tar":
        raise click.UsageError("The name of a backup ends in .tar.")
    storages = None if without_photos else open_storages(context.settings, context.ini_dir)
    try:
        made = make_backup(
            *(context.current_database(), storages, file.absolute()),
            site_url=context.settings["site.url"],
            keep=keep,
            verify=not unverified,
        )
    except BackupBusy as error:
        raise _Busy(str(error)) from None
    lines = [*_lines(file, made)]
    if made.manifest.photos is None and _has_local_photos(context):
        lines.append("Without the photos of photos.dir it does not count as the last backup.")
    elif made.verified is not None:
        with context.transaction() as db:
            created_at = datetime.fromisoformat(made.manifest.created_at)
            backups.record(db, created_at, str(file.absolute()))
    photos = made.manifest.photos
    context.output(
        "\n".join(lines),
        file=str(file),
        size=file.stat().st_size,
        verified=made.verified is not None,
        rows=made.manifest.rows if made.verified else None,
        photos=photos.files if photos else None,
        missing=photos.missing if photos else [],
        lost=made.lost,
        removed=[*map(str, made.removed)],
    )


def _has_local_photos(context: Context) -> bool:
    """Return whether there are photos, and photos.dir has them: a bucket may have versions."""
    if context.settings["photos.storage"] != "local":
        return False
    with context.database.reads.connect() as db:
        return any(True for _ in chain(photo_queries.all_photos(db), photo_queries.avatars(db)))


def _lines(file: Path, made: Made) -> Iterator[str]:
    yield f"Wrote {file} ({file.stat().st_size:,} bytes). {_SECRETS}"
    photos = made.manifest.photos
    if photos is None:
        yield "Photos are not in it."
    elif photos.missing:
        gone = len(photos.missing) - len(made.lost)
        yield f"{len(photos.missing)} photos are not in it, {gone} of them deleted meanwhile:"
        yield from (f"  {name}" for name in photos.missing[:_MOST_NAMES])
        if made.lost:
            yield "forumsvc photos check lists those that have a row and no whole file."
    yield _holds(made.verified) if made.verified else "It was not verified."
    yield from (f"Removed {one}." for one in made.removed)


def _holds(verified: Loaded) -> str:
    photos = verified.manifest.photos
    line = f"Verified: {verified.manifest.rows} rows, {photos.files if photos else 'no'} photos."
    if verified.wrong_counters:
        line += (
            f" {verified.wrong_counters} counters of the forum were wrong: forumsvc db check "
            "--fix; a restore corrects them."
        )
    return line


@backup.command()
@_file
@pass_context
def verify(context: Context, file: Path) -> None:
    """Verify a backup: each byte, the photo files, and that its rows can be loaded.

    They are loaded into an SQLite file in the folder for temporary files (TMPDIR).
    """
    try:
        with tempfile.TemporaryDirectory(prefix="forumsvc-") as work:
            verified = verify_backup(file, Path(work))
    except OSError as error:
        raise DumpError(f"The folder of temporary files: {error}") from None
    photos, lines = verified.manifest.photos, [_holds(verified)]
    if photos is not None and photos.missing:
        lines.append(f"{len(photos.missing)} photos that rows name are not in it.")
    context.output(
        "\n".join(lines),
        rows=verified.manifest.rows,
        photos=photos.files if photos else None,
        missing=photos.missing if photos else [],
        wrong_counters=verified.wrong_counters,
        created_at=verified.manifest.created_at,
        site_url=verified.manifest.site_url,
    )


@click.command(cls=Command)
@_file
@click.option("--replace", is_flag=True, help="Delete what is in the database.")
@click.option("--force", is_flag=True, help="Replace it, too, while a service seems to run.")
@click.option("--keep-sessions", is_flag=True, help="Keep log-ins and access tokens.")
@yes_option
@pass_context
def restore(
    context: Context, file: Path, replace: bool, force: bool, keep_sessions: bool, yes: bool
) -> None:
    """Restore a backup into an empty database.

    With its photos. All of it, or nothing. Empty is a database without tables, or without users.
    Stop the service before, on all hosts.
    """
    if context.sqlite_file is not None:
        context.sqlite_file.absolute().parent.mkdir(parents=True, exist_ok=True)
    if replace and not is_empty(context.database):
        if not force:
            _check_no_worker_runs(context.database)
        context.confirm("All that is in the database is deleted for good.", yes=yes)
    storages = open_storages(context.settings, context.ini_dir)
    restored = restore_backup(
        context.database, storages, file, replace=replace, keep_sessions=keep_sessions
    )
    if context.settings["docs.enabled"]:
        with context.transaction() as db:
            explorer.register(db)
    reindexing.reindex(context.database)
    photos = restored.manifest.photos
    lines = [
        f"Restored {restored.manifest.rows} rows and {photos.files if photos else 'no'} photos of "
        f"{restored.manifest.created_at}."
    ]
    if restored.wrong_counters:
        lines.append(f"{restored.wrong_counters} counters were wrong and are corrected.")
    if photos is None:
        lines.append("Photos are not in this backup: restore them before forumsvc photos check.")
    if not keep_sessions:
        lines.append("All log-ins and access tokens have ended.")
    lines.append("It counts as a copy: it sends no email and no webhook until forumsvc db adopt.")
    context.output(
        "\n".join(lines),
        rows=restored.manifest.rows,
        photos=photos.files if photos else None,
        corrected=restored.wrong_counters,
        created_at=restored.manifest.created_at,
    )


def _check_no_worker_runs(database: Database) -> None:
    """Raise CommandError where a worker has a job that one that is stopped gives back."""
    with database.reads.connect() as db:
        processes = event_consumers.processes(db, clock.now())
    if processes:
        raise CommandError(
            "A service of this database runs, or was killed within "
            f"{event_consumers.LOCK.total_seconds():.0f} s (host and process: "
            f"{', '.join(processes)}). Stop it on all hosts, or use --force."
        )
