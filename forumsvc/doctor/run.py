"""Running the checks of all areas, each with a time limit."""

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from .. import migrate
from ..db.failures import DATABASE_ERRORS
from ..diagnostics import Level, Problem, diagnose
from ..diagnostics.problem import info, warning
from . import (
    background,
    backup,
    disk,
    hosts,
    jobs,
    postgresql,
    postgresql_primaries,
    search,
    site,
    sqlite,
    texts,
    webhooks,
)
from .finding import Finding
from .installation import Installation

SECONDS = 60.0
"""How long an area may take: a name server, a network folder or a table may keep one waiting."""
DEEP_SECONDS = 3600.0

Area = Callable[[Installation], Iterator[Problem]]

AREAS: tuple[tuple[str, Area], ...] = (
    ("site", site.check),
    ("disk", disk.check),
    ("backup", backup.check),
)
"""Those that need no database."""

DATABASE_AREAS: tuple[tuple[str, Area], ...] = (
    ("database", sqlite.check),
    ("database", postgresql.check),
    ("database", postgresql_primaries.check),
    ("hosts", hosts.check),
    ("background", background.check),
    ("jobs", jobs.check),
    ("webhooks", webhooks.check),
    ("search", search.check),
    ("texts", texts.check),
)


def examine(
    ini: Path, application: Mapping[str, str], installation: Installation | None
) -> list[Finding]:
    """Return what was found, errors first.

    ini, application: as for `diagnose`; installation: None if the settings are invalid, then
    nothing but the configuration is examined.
    """
    is_deep = installation is not None and installation.deep
    seconds = DEEP_SECONDS if is_deep else SECONDS
    found = _collect("configuration", partial(diagnose, ini, application), seconds)
    if installation is None:
        return sort(found)
    for name, check in AREAS:
        found += _collect(name, partial(check, installation), seconds)
    unusable = _collect("database", partial(_unusable, installation), seconds)
    found += unusable
    if not unusable:
        for name, check in DATABASE_AREAS:
            found += _collect(name, partial(check, installation), seconds)
    return sort(found)


def sort(findings: Sequence[Finding]) -> list[Finding]:
    """Return the findings without duplicates, errors first, otherwise in their order."""
    order = [Level.ERROR, Level.WARNING, Level.INFO]
    return sorted(dict.fromkeys(findings), key=lambda finding: order.index(finding.level))


def _unusable(installation: Installation) -> Iterator[Problem]:
    """Yield why no check can read the tables; the check of the configuration says what to do."""
    try:
        revision = migrate.current(installation.database.reads)
    except DATABASE_ERRORS:
        yield info("The database does not answer: its contents are not examined.")
        return
    if revision != migrate.head():
        yield info(
            f"The tables are of revision {revision}, not of the one of this code, "
            f"{migrate.head()}: they are not examined."
        )


def _collect(name: str, check: Callable[[], Iterable[Problem]], seconds: float) -> list[Finding]:
    """Run a check in a thread; return what it finds within the time, however it ends."""
    found: list[Problem] = []

    def run() -> None:
        try:
            for problem in check():
                found.append(problem)  # noqa: PERF402 - what comes before an error counts
        except (Exception, SystemExit) as error:  # the other checks go on, whatever it is
            cause = getattr(error, "orig", None) or error  # without the statement
            reason = f"{type(cause).__name__}: {' '.join(str(cause).split())}"
            found.append(warning(f"Not everything could be checked: {reason}"))

    thread = threading.Thread(target=run, name=f"doctor-{name}", daemon=True)
    thread.start()
    thread.join(seconds)
    problems = [*found]
    if thread.is_alive():
        problems.append(
            warning(
                f"Not everything could be checked within {seconds:.0f} seconds: look for a name "
                "server, a network folder or a locked table that keeps it waiting."
            )
        )
    return [Finding(problem.level, name, problem.message) for problem in problems]
