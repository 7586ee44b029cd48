"""Running all checks, in the order in which the service would encounter the problems."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.parse import urlsplit

from ..settings import Settings, find_errors
from . import database, ini_file, mail, rate_limit_storage, server, sizes, startup, storage
from .problem import Problem, error, warning


def diagnose(
    ini: Path, application: Mapping[str, str], *, file_only: bool = False
) -> list[Problem]:
    """Return all problems, without duplicates.

    ini: the ini file; application: the keys of its `[app:main]`. If one of the settings is invalid,
    the checks that depend on them are skipped. file_only: whether to leave out
    the database, the folders and the other servers.
    """
    return list(dict.fromkeys(_problems(ini.resolve(), application, file_only)))


def _problems(ini: Path, application: Mapping[str, str], file_only: bool) -> Iterator[Problem]:
    served = server.read(ini)
    yield from served.problems
    yield from ini_file.check(ini, application)
    errors = find_errors(application)
    yield from map(error, errors)
    if errors:
        return
    settings = Settings(application)
    if settings.site_url_warning:
        yield warning(settings.site_url_warning)
    if urlsplit(settings["site.url"]).path.strip("/"):
        yield warning(
            f"site.url: {settings['site.url']} has a path, and the service answers under / alone: "
            "give it a host name of its own"
        )
    if file_only:
        return
    yield from startup.check(ini)
    yield from sizes.check(settings, served.options)
    yield from database.check(settings, str(ini), served.options)
    yield from storage.check(settings, ini.parent)
    yield from mail.check(settings, ini.parent)
    yield from rate_limit_storage.check(settings)
