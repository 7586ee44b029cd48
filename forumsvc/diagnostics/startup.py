"""Check whether the service starts: it creates the application as `pserve` does."""

import atexit
from collections.abc import Iterator
from pathlib import Path

import plaster

from .problem import Problem, error


def check(ini: Path) -> Iterator[Problem]:
    """Yield what prevents the start."""
    try:
        application = plaster.get_loader(str(ini), protocols=["wsgi"]).get_wsgi_app()
    except SystemExit as refusal:
        yield error(str(refusal).removeprefix("forumsvc: "))
    except Exception as failure:  # whatever it is, the service does not start
        yield error(f"the service does not start: {type(failure).__name__}: {failure}")
    else:
        database = getattr(getattr(application, "registry", None), "database", None)
        if database is not None:
            atexit.register(database.dispose)
            database.dispose()
