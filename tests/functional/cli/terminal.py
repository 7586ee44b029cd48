"""The command in a process of its own, on a terminal."""

import os
import pty
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

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
        shown = read_terminal(ours)
    return Typed(process.returncode, shown.decode().replace("\r\n", "\n"))


def read_terminal(terminal: int) -> bytes:
    """Return what is shown on the terminal until its last user ends."""
    shown = b""
    try:
        while more := os.read(terminal, 4096):
            shown += more
    except OSError:  # Linux ends a terminal's output with an error.
        pass
    finally:
        os.close(terminal)
    return shown
