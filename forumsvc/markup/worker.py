"""What a worker process does: reads texts from a socket, writes their HTML to it.

Both are JSON, an object a line. To each `{"text": …, "own_host": …, "limit": …}` it answers
`{"parts": […]}` or `{"error": "<name of the exception>"}`, with `"cpu_seconds"`, the processor time
that the text took, and with `"last": true` where it ends afterwards. After `limit` seconds of
processor time the kernel ends it. It ends at the end of its input.
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
_RESIDENT = Path("/proc/self/statm")


def serve(connection: socket.socket, pipeline: Pipeline) -> None:
    """Answer every line until they end, an exception comes or this process has grown too large."""
    with connection.makefile("rb") as texts:
        for line in texts:
            job = json.loads(line)
            # Nobody is left to stop this process where its parent was killed amid a text.
            signal.setitimer(signal.ITIMER_PROF, job["limit"])
            # Under that timer Linux counts the time of a process in ticks only.
            began = time.thread_time()
            try:
                answer: dict[str, Any] = {"parts": pipeline.render(job["text"], job["own_host"])}
            except Exception as error:  # whatever a hostile text brings about is its answer
                answer = {"error": type(error).__name__, "last": True}
            signal.setitimer(signal.ITIMER_PROF, 0)
            answer["cpu_seconds"] = time.thread_time() - began
            if _resident() > _MAX_RESIDENT:
                answer["last"] = True
            connection.sendall(json.dumps(answer).encode() + b"\n")
            if "last" in answer:
                return


def _resident() -> int:
    """Return the bytes of memory this process holds, 0 where the system does not say.

    `getrusage` does not do: its maximum begins with that of the process that started this one.
    """
    try:
        return int(_RESIDENT.read_text().split()[1]) * resource.getpagesize()
    except OSError:
        return 0
