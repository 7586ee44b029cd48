"""Checks of the ini file as a file: who may read it, and its sections for the log."""

import configparser
import stat
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from .problem import Problem, error, warning

_SET_UP_LOGGING = """
import logging, logging.config, os, sys

def open_nothing(handler):
    os.stat(os.path.dirname(handler.baseFilename))
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


def check(ini: Path, application: Mapping[str, str]) -> Iterator[Problem]:
    """Yield what would stop pserve before it starts the service, and who else reads the secrets.

    application: the keys of `[app:main]`.
    """
    is_development = application.get("site.environment") == "development"
    has_secret = "${" not in application.get("session.secret", "${")
    if has_secret and not is_development and ini.stat().st_mode & stat.S_IROTH:
        yield warning(
            f"{ini} is readable for every user of this machine, with its secrets: chmod o-r it"
        )
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
