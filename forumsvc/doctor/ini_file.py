"""The ini file: its settings, its server, its log, and whether the service starts with it."""

import atexit
import configparser
import errno
import os
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.parse import urlsplit

import plaster
from paste.deploy import loadwsgi

from .. import migrate
from ..serving.options import Options
from ..settings import Settings, find_errors
from .finding import Finding, error, warning
from .installation import Installation

_FORM_OVERHEAD = 1024
"""Approximate bytes of a multipart form without its image."""

_SET_UP_LOGGING = """
import logging, logging.config, os, sys

def open_nothing(handler):
    path = handler.baseFilename
    place = path if os.path.exists(path) else os.path.dirname(path)
    if not os.access(place, os.W_OK):
        raise OSError(f"{place} cannot be written" if os.path.exists(place) else f"no {place}")
    return open(os.devnull, "a")

logging.FileHandler._open = open_nothing
ini = sys.argv[1]
try:
    logging.config.fileConfig(ini, {"here": os.path.dirname(ini), "__file__": ini})
except Exception as failure:
    cause = failure.__cause__ or failure
    sys.exit(f"{failure}: {cause!r}" if cause is not failure else repr(failure))
"""
"""Does what pserve does before it imports the service, but creates no log files."""


def check(ini: Path, application: Mapping[str, str]) -> Iterator[Finding]:
    """Yield what the file alone shows to be wrong. application: the keys of `[app:main]`."""
    yield from read_server(ini)[1]
    yield from _check_readers(ini, application)
    yield from _check_logging(ini)
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


def check_start(installation: Installation) -> Iterator[Finding]:
    """Yield what prevents the start: the application is created as `pserve` does."""
    loader = plaster.get_loader(str(installation.ini), protocols=["wsgi"])
    migrate.log.disabled = True  # `database.check` says whether the database answers
    try:
        application = loader.get_wsgi_app()
    except SystemExit as refusal:
        yield error(str(refusal).removeprefix("forumsvc: "))
    except Exception as failure:  # whatever it is, the service does not start
        yield error(f"the service does not start: {type(failure).__name__}: {failure}")
    else:
        database = getattr(getattr(application, "registry", None), "database", None)
        if database is not None:
            atexit.register(database.dispose)
            database.dispose()
    finally:
        migrate.log.disabled = False


def check_sizes(installation: Installation) -> Iterator[Finding]:
    """Yield the limits that can never be reached, because another one is lower."""
    settings, options = installation.settings, installation.options
    body = settings["http.max_body"]
    if options is not None and body >= options.address.max_request_body_size:
        yield error(
            f"http.max_body: {body} bytes are not below max_request_body_size of [server:main], "
            f"{options.address.max_request_body_size}, which applies first and cuts the connection"
        )
    if settings["photos.max_bytes"] + _FORM_OVERHEAD > body:
        yield error(
            f"photos.max_bytes: an image of {settings['photos.max_bytes']} bytes in its form is "
            f"larger than http.max_body ({body}), which refuses it"
        )
    if settings["posts.max_body"] > body:
        yield error(
            f"posts.max_body: a text of {settings['posts.max_body']} characters is larger than "
            f"http.max_body ({body} bytes), which refuses it"
        )


def read_server(ini: Path) -> tuple[Options | None, list[Finding]]:
    """Return the options of `[server:main]`, and what is wrong with them; nothing is started.

    None for options that are invalid, and for another server.
    """
    try:
        context = loadwsgi.loadcontext(loadwsgi.SERVER, f"config:{ini}", name="main")
        factory = context.object
    except Exception as failure:  # an import can raise anything
        return None, [error(f"[server:main]: {failure}")]
    if not factory.__module__.startswith("forumsvc.serving"):
        used = f"{factory.__module__}.{factory.__qualname__}"
        return None, [warning(f"[server:main]: {used} is not checked here")]
    try:
        options = Options.from_section(context.local_conf)
    except SystemExit as refusal:
        return None, [error(refusal)]
    return options, [*_addresses(options), *_trust(options)]


def _trust(options: Options) -> Iterator[Finding]:
    """Yield a warning where anybody who connects may pretend to be another client."""
    if options.trusted_proxy.is_everybody and not options.address.unix_socket:
        yield warning(
            f"[server] trusted_proxy = {options.address.trusted_proxy}: whoever connects is "
            "believed about the address that they come from, so limits and access blocks hold "
            "nobody. Name the address or the network of the proxy, or let nobody else connect"
        )


def _addresses(options: Options) -> Iterator[Finding]:
    """Yield the TCP addresses that cannot be bound; one in use may belong to this service."""
    if options.address.unix_socket:
        folder = Path(options.address.unix_socket).parent
        if not os.access(folder, os.W_OK):
            yield error(f"[server] unix_socket: {folder} is not writable")
        return
    for family, kind, _, where in options.address.listen:
        with socket.socket(family, kind) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(where)
            except OSError as failure:
                if failure.errno != errno.EADDRINUSE:
                    yield error(f"[server] {where[0]}:{where[1]}: {failure.strerror}")


def _check_readers(ini: Path, application: Mapping[str, str]) -> Iterator[Finding]:
    is_development = application.get("site.environment") == "development"
    has_secret = "${" not in application.get("session.secret", "${")
    if has_secret and not is_development and ini.stat().st_mode & stat.S_IROTH:
        yield warning(
            f"{ini} is readable for every user of this machine, with its secrets: chmod o-r it"
        )


def _check_logging(ini: Path) -> Iterator[Finding]:
    """Yield what would stop pserve before it starts the service."""
    parser = configparser.RawConfigParser()
    try:
        parser.read(ini)
    except (configparser.Error, UnicodeDecodeError):
        return  # it has been read in another way, which tells
    if not parser.has_section("loggers"):
        return
    command = [sys.executable, "-c", _SET_UP_LOGGING, str(ini)]
    run = subprocess.run(  # noqa: S603 - this Python, and a file that is to be started anyway
        command, capture_output=True, text=True, check=False
    )
    if run.returncode:
        lines = run.stderr.strip().splitlines() or ["the log cannot be set up"]
        yield error(f"[loggers], [handlers], [formatters]: {lines[-1]}")
