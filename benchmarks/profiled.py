"""The forum's server with a profiler (a `paste.server_factory` for `benchmarks.profile`).

Times are processor times of each thread, so that waiting is not counted. Requests before START are
not profiled, because the first requests import, compile and connect.
"""

import cProfile
import os
import pstats
import time
from collections.abc import Callable, Iterable
from typing import Any

from waitress.task import ThreadedTaskDispatcher

from forumsvc import serving

FILE = "FORUMSVC_PROFILE"
"""The environment variable with the file that the profile is written to."""
START = "/benchmark/start"


def server_factory(global_conf: object, **keys: str) -> Callable[[Any], None]:
    """Create the forum's server (with `threads = 1`), which writes a profile at its end.

    Raises SystemExit if a key is wrong.
    """
    run = serving.server_factory(global_conf, **keys)
    front, worker = cProfile.Profile(time.thread_time), cProfile.Profile(time.thread_time)
    work = ThreadedTaskDispatcher.handler_thread

    def profiled_work(dispatcher: Any, number: int) -> None:
        try:
            work(dispatcher, number)
        finally:
            worker.disable()

    def profiled_run(app: Any) -> None:
        def counting_app(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
            if environ["PATH_INFO"] == START:
                front.clear()
                worker.enable()
                start_response("204 No Content", [])
                return []
            found: Iterable[bytes] = app(environ, start_response)
            return found

        ThreadedTaskDispatcher.handler_thread = profiled_work
        front.enable()
        try:
            run(counting_app)
        finally:
            front.disable()
            statistics = pstats.Stats(worker)
            statistics.add(front)
            statistics.dump_stats(os.environ[FILE])

    return profiled_run
