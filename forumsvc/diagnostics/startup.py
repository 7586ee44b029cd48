"""What stops `pserve`: the application is made as it makes it, and put away."""

import atexit
from collections.abc import Iterator
from pathlib import Path

import plaster

from .problem import Problem, error


def check(ini: Path) -> Iterator[Problem]:
    """Yield what refuses the start."""
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
