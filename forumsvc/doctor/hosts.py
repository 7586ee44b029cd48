"""Several hosts: what they must share, and what must be the same on all."""

from collections.abc import Iterator, Sequence
from typing import Any

from ..services import hosts
from ..web.http_cache.etags import build_fingerprint
from .finding import Finding, error, info, warning
from .folders import network_file_system
from .installation import Installation

_MOST_OFFSET = 1000
"""Milliseconds."""


def check(installation: Installation) -> Iterator[Finding]:
    """Yield how the running hosts differ from this one, and what several must not do."""
    settings = installation.settings
    own_facts = hosts.facts(settings, installation.ini.parent, build_fingerprint(settings))
    executor = installation.database.executor
    alive = hosts.alive(executor)
    yield from _check_clock(own_facts.name, hosts.clock_offset(executor))
    for host in alive:
        if host.name != own_facts.name:
            yield from _check_clock(host.name, host.clock_offset)
        yield from _compare(host, own_facts, settings["session.secret"])
    names = sorted({host.name for host in alive} | _without_worker(installation, own_facts.name))
    if len(names) > 1:
        yield info(f"{len(names)} hosts serve this forum: {', '.join(names)}.")
    yield from _check_sharing(installation, names)


def _without_worker(installation: Installation, own_name: str) -> set[str]:
    """Return this host's name if it serves and does not write itself down, else nothing."""
    options = installation.options
    return {own_name} if options is not None and not options.worker else set()


def _check_clock(name: str, offset: int) -> Iterator[Finding]:
    if abs(offset) > _MOST_OFFSET:
        direction = "ahead of" if offset > 0 else "behind"
        yield warning(
            f"The clock of {name} is {abs(offset) / 1000:.1f} seconds {direction} the database's: "
            "run NTP on both machines."
        )


def _compare(host: Any, own_facts: hosts.Facts, secret: str) -> Iterator[Finding]:
    if not hosts.has_secret(host, secret):
        yield error(
            f"{host.name} runs with another session.secret than this ini file has: log-ins, links "
            "and signatures of one are refused by the other. Give all hosts the same, and restart."
        )
    differing = [
        name for name, value in own_facts.settings.items() if host.settings.get(name) != value
    ]
    for name in differing:
        yield warning(
            f"{host.name} runs with {name} = {host.settings.get(name)}, and this ini file has "
            f"{own_facts.settings[name]}: give all hosts the same, and restart."
        )
    if host.build != own_facts.build and not differing:
        yield warning(
            f"{host.name} runs other code or settings (version {host.version}) than there are here "
            f"({own_facts.version}): finish the upgrade, and restart (upgrade.md)."
        )


def _check_sharing(installation: Installation, names: Sequence[str]) -> Iterator[Finding]:
    settings, options = installation.settings, installation.options
    if settings["rate_limit.storage"] == "memory://":
        if len(names) > 1:
            yield warning(
                f"rate_limit.storage is memory://, so each process of {len(names)} hosts counts by "
                "itself and limits are as many times higher: set it to a Redis (scale.md)."
            )
        elif options is not None and options.processes > 1:
            yield info(
                f"rate_limit.storage is memory://: each of {options.processes} processes counts by "
                f"itself, so calls, sign-ups and requests for mail are limited to "
                f"{options.processes} times what is set. A Redis counts for all (scale.md)."
            )
    folder = installation.ini.parent / settings["photos.dir"]
    is_local = settings["photos.storage"] == "local"
    if len(names) > 1 and is_local and network_file_system(folder) is None:
        yield warning(
            f"{len(names)} hosts serve this forum, and {folder} is a folder of this one: a photo "
            "that was uploaded at one is 404 at the others. Use a network folder, or "
            "photos.storage = s3 (scale.md)."
        )
