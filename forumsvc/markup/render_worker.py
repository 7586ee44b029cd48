"""The main loop of a worker process: reads texts from a socket and writes back their HTML.

Both are JSON, one object a line. A job is `{"text": …, "own_host": …, "limit": …}`. Its result is
`{"segments": […]}` or `{"error": "<name of the exception>"}`, with `"cpu_seconds"` (the processor
time of the text) and with `"exiting": true` if the worker exits afterwards. After `limit` seconds
of processor time the kernel ends the worker. At the end of its input the worker exits.
"""

import json
import resource
import signal
import socket
import time
from pathlib import Path
from typing import Any

from forumsvc.markup.pipeline import Pipeline

_MAX_RESIDENT = 120 << 20
_STATM = Path("/proc/self/statm")


def serve(connection: socket.socket, pipeline: Pipeline) -> None:
    """Process jobs until the end of the input, an exception, or excessive memory use."""
    with connection.makefile("rb") as jobs:
        for line in jobs:
            job = json.loads(line)
            # If the parent is killed during a text, nothing else would stop this process.
            signal.setitimer(signal.ITIMER_PROF, job["limit"])
            # While that timer runs, Linux counts the processor time of a process in ticks only.
            started = time.thread_time()
            try:
                result: dict[str, Any] = {"segments": pipeline.render(job["text"], job["own_host"])}
            except Exception as error:  # a hostile text may raise anything
                result = {"error": type(error).__name__, "exiting": True}
            signal.setitimer(signal.ITIMER_PROF, 0)
            result["cpu_seconds"] = time.thread_time() - started
            if _resident_bytes() > _MAX_RESIDENT:
                result["exiting"] = True
            connection.sendall(json.dumps(result).encode() + b"\n")
            if "exiting" in result:
                return


def _resident_bytes() -> int:
    """Return the resident memory of this process, or 0 if the system does not report it.

    `getrusage` is not suitable: its maximum starts with that of the parent process.
    """
    try:
        return int(_STATM.read_text().split()[1]) * resource.getpagesize()
    except OSError:
        return 0
