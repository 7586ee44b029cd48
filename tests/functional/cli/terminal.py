"""The command in a process of its own, on a terminal."""

import os
import pty
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from select import select

from tests.system.process import PATIENCE

ROOT = Path(__file__).parents[3]
COMMAND = (sys.executable, "-m", "forumsvc.cli")
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "120", "TERM": "dumb"}


@dataclass(frozen=True)
class Typed:
    """How a command on a terminal ended, and all that it showed there."""

    code: int
    shown: str


def run_on_terminal(ini: Path, *words: object, answer: str = "") -> Typed:
    """Run the command with a terminal for standard input, output and error.

    answer: typed beforehand, as a terminal keeps what is typed until somebody reads it.
    """
    ours, theirs = pty.openpty()
    os.write(ours, answer.encode())
    # A session of its own, or a question would be asked on the terminal of the tests.
    with subprocess.Popen(
        [*COMMAND, "-c", str(ini), *map(str, words)],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env=ENVIRONMENT,
        start_new_session=True,
    ) as process:
        os.close(theirs)
        shown = read_terminal(ours, process)
    return Typed(process.returncode, shown.decode().replace("\r\n", "\n"))


def read_terminal(terminal: int, process: "subprocess.Popen[bytes]") -> bytes:
    """Return what is shown on the terminal until its last user ends.

    Raises AssertionError, and kills the process, if it shows nothing more but does not end either.
    """
    shown = b""
    try:
        while select([terminal], [], [], PATIENCE)[0]:
            if not (more := os.read(terminal, 4096)):
                return shown
            shown += more
    except OSError:  # Linux ends a terminal's output with an error.
        return shown
    finally:
        os.close(terminal)
    process.kill()
    raise AssertionError(f"The command does not end; it shows {shown!r}")
