"""A WSGI application that reports which process serves it; it writes to the folder `notes`."""

import atexit
import json
import logging
import os
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

log = logging.getLogger(__name__)
forked: list[int] = []
warmed: list[str] = []


def make_app(global_conf: dict[str, str], notes: str) -> Callable[..., Iterable[bytes]]:
    """Create the application (a `paste.app_factory`)."""
    folder = Path(notes)
    (folder / "made").touch()
    os.register_at_fork(after_in_child=lambda: forked.append(os.getpid()))
    atexit.register(lambda: (folder / f"ended-{os.getpid()}").touch())

    def app(environ: dict[str, Any], start_response: Callable[..., object]) -> list[bytes]:
        path = environ["PATH_INFO"]
        if path == "/slow":
            # Opening a FIFO waits for who opens its other end.
            (folder / f"slow-{os.getpid()}").touch()
            (folder / "begun").touch()
            (folder / "go").read_bytes()
        if path == "/fails":
            raise ValueError("a detail that is nobody's business")
        log.warning("asked for %s", path)
        if path.startswith("/bodiless/"):
            start_response(f"{path.rpartition('/')[2]} No Body", [])
            return []
        body = json.dumps(about(environ)).encode()
        if path.startswith("/large/"):
            body = int(path.rpartition("/")[2]) * b"x"
        start_response("200 OK", [("Content-Type", "application/json")])
        return [body]

    app.on_worker_start = partial(warmed.append, "at the start")  # type: ignore[attr-defined]
    return app


def about(environ: dict[str, Any]) -> dict[str, Any]:
    """Return the data of the process that tests check."""
    return {
        "pid": os.getpid(),
        "worker": os.environ.get("FORUMSVC_WORKER"),
        "cores": sorted(os.sched_getaffinity(0)),
        "all_cores": os.environ.get("FORUMSVC_CORES"),
        "forked": forked,
        "warmed": warmed,
        "draining": environ.get("forumsvc.draining", False),
        "received": len(environ["wsgi.input"].read()),
        "address": environ["REMOTE_ADDR"],
    }
