"""A worker process: reads texts from standard input, writes their HTML to standard output.

Both are JSON, an object a line. First it says `{"ready": true}`; then to each
`{"text": …, "own_host": …, "limit": seconds}` it answers `{"parts": […]}` or
`{"error": "<name of the exception>"}`, with `"last": true` where it ends afterwards.
It ends at the end of its input.
"""

import json
import resource
import signal
import sys
from pathlib import Path
from typing import Any, TextIO

from forumsvc import cores

_MAX_ADDRESS_SPACE = 1 << 30
_MAX_RESIDENT = 120 << 20
_RESIDENT = Path("/proc/self/statm")


def serve(texts: TextIO, answers: TextIO) -> None:
    """Answer every line of `texts` until they end, or until this process has grown too large."""
    from forumsvc.markup.pipeline import Pipeline

    pipeline = Pipeline()
    _write(answers, {"ready": True})
    for line in texts:
        job = json.loads(line)
        # Nobody is left to stop this process where its parent was killed in the middle of a text.
        signal.setitimer(signal.ITIMER_REAL, job["limit"])
        try:
            answer: dict[str, Any] = {"parts": pipeline.render(job["text"], job["own_host"])}
        except Exception as error:  # whatever a hostile text brings about is its answer
            answer = {"error": type(error).__name__}
            pipeline = Pipeline()
        signal.setitimer(signal.ITIMER_REAL, 0)
        last = _resident() > _MAX_RESIDENT
        _write(answers, answer | {"last": True} if last else answer)
        if last:
            return


def _resident() -> int:
    """Return the bytes of memory this process holds, 0 where the system does not say.

    `getrusage` does not do: its maximum begins with that of the process that started this one.
    """
    try:
        return int(_RESIDENT.read_text().split()[1]) * resource.getpagesize()
    except OSError:
        return 0


def _write(answers: TextIO, answer: dict[str, Any]) -> None:
    answers.write(json.dumps(answer) + "\n")
    answers.flush()


def main() -> None:
    """Serve standard input; the terminal's interrupt is its parent's to handle."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_AS, (_MAX_ADDRESS_SPACE, _MAX_ADDRESS_SPACE))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    cores.everywhere()
    serve(sys.stdin, sys.stdout)


if __name__ == "__main__":
    main()
