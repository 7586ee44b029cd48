"""Running the checks of all areas, each with a time limit."""

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from .. import migrate
from ..cache.database import open_database
from ..db.connection_options import ConnectionOptions
from ..db.failures import DATABASE_ERRORS
from ..settings import Settings, find_errors
from . import (
    background,
    backups,
    contents,
    database,
    dependencies,
    folders,
    hosts,
    ini_file,
    jobs,
    mail,
    postgresql,
    postgresql_servers,
    roles,
    site,
    sqlite,
    webhooks,
)
from .finding import Finding, Level, error, info, warning
from .installation import Installation

SECONDS = 60.0
"""How long a check may take: a name server, a network folder or a table may keep one waiting."""
DEEP_SECONDS = 3600.0

Area = tuple[str, Callable[[Installation], Iterator[Finding]]]

CONFIGURATION: tuple[Area, ...] = tuple(
    ("configuration", check)
    for check in (
        ini_file.check_start,
        ini_file.check_sizes,
        database.check,
        dependencies.check_storages,
        dependencies.check_mail,
        dependencies.check_rate_limit_storage,
    )
)
"""Before the start, too."""

AREAS: tuple[Area, ...] = (
    ("site", site.check),
    ("disk", folders.check_space),
)
"""Those that need no database."""

DATABASE_AREAS: tuple[Area, ...] = (
    ("database", sqlite.check),
    ("database", postgresql.check),
    ("database", postgresql_servers.check_primaries),
    ("database", roles.check),
    ("hosts", hosts.check),
    ("background", background.check),
    ("backup", backups.check),
    ("jobs", jobs.check),
    ("mail", mail.check),
    ("webhooks", webhooks.check),
    ("photos", dependencies.check_photos),
    ("setup", contents.check_setup),
    ("search", contents.check_search),
    ("texts", contents.check_html),
)


def examine(
    ini: Path,
    application: Mapping[str, str],
    *,
    before_start: bool = False,
    file_only: bool = False,
    deep: bool = False,
) -> list[Finding]:
    """Return what was found, errors first.

    ini: the ini file; application: the keys of its `[app:main]`, of which an invalid one ends the
    examination with the file; before_start: whether the running service is left out; file_only:
    whether the database, the folders and other servers are, too; deep: whether to make the checks
    that may take minutes.
    """
    ini = ini.resolve()
    seconds = DEEP_SECONDS if deep else SECONDS
    result = _collect("configuration", partial(ini_file.check, ini, application), seconds)
    if file_only or find_errors(application):
        return sort(result)
    settings = Settings(application, ini.parent)
    options = ConnectionOptions.from_settings(settings).for_commands()
    try:
        opened = open_database(settings.direct_url, options)
    except ModuleNotFoundError as failure:
        missing = error(
            f"sqlalchemy.url: the driver {failure.name} is missing; "
            "install forumsvc[postgresql] for PostgreSQL"
        )
        return sort([*result, replace(missing, area="configuration")])
    installation = Installation(ini, settings, ini_file.read_server(ini)[0], opened, deep)
    try:
        areas = [*CONFIGURATION, *(() if before_start else AREAS)]
        result += _examine(areas, installation, seconds)
        if not before_start:
            unusable = _examine([("database", _unusable)], installation, seconds)
            result += unusable or _examine(DATABASE_AREAS, installation, seconds)
    finally:
        opened.dispose()
    return sort(result)


def sort(findings: Sequence[Finding]) -> list[Finding]:
    """Return the findings without duplicates, errors first, otherwise in their order."""
    order = [Level.ERROR, Level.WARNING, Level.INFO]
    return sorted(dict.fromkeys(findings), key=lambda finding: order.index(finding.level))


def _examine(areas: Iterable[Area], installation: Installation, seconds: float) -> list[Finding]:
    return [
        finding
        for name, check in areas
        for finding in _collect(name, partial(check, installation), seconds)
    ]


def _unusable(installation: Installation) -> Iterator[Finding]:
    """Yield why no check can read the tables; `database.check` says what to do."""
    try:
        is_usable = migrate.current(installation.database.reads) == migrate.head()
    except DATABASE_ERRORS:
        is_usable = False
    if not is_usable:
        yield info(
            "The database does not answer, or is of another revision than this code: its contents "
            "are not examined."
        )


def _collect(name: str, check: Callable[[], Iterable[Finding]], seconds: float) -> list[Finding]:
    """Run a check in a thread; return what it finds within the time, however it ends."""
    result: list[Finding] = []

    def run() -> None:
        try:
            for finding in check():
                result.append(finding)  # noqa: PERF402 - what comes before an error counts
        except (Exception, SystemExit) as failure:  # the other checks go on, whatever it is
            cause = getattr(failure, "orig", None) or failure  # without the statement
            result.append(
                warning(f"Not everything could be checked: {type(cause).__name__}: {cause}")
            )

    thread = threading.Thread(target=run, name=f"doctor-{name}", daemon=True)
    thread.start()
    thread.join(seconds)
    findings = [*result]
    if thread.is_alive():
        findings.append(
            warning(
                f"Not everything could be checked within {seconds:.0f} seconds: look for a name "
                "server, a network folder or a locked table that keeps it waiting."
            )
        )
    return [replace(finding, area=name) for finding in findings]
