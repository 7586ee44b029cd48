"""The command, which kills itself: `python -m tests.system.killed_at MODULE:NAME N WORDS`.

At the N-th call of this function of the module the process ends as by `kill -9`.
"""

import os
import signal
import sys
from collections.abc import Callable
from importlib import import_module
from itertools import count
from typing import Any

from forumsvc.cli import main


def killing(function: Callable[..., Any], at: int) -> Callable[..., Any]:
    """Return the function, of which the call of that number ends the process."""
    numbers = count(1)

    def call(*args: Any, **options: Any) -> Any:
        if next(numbers) == at:
            os.kill(os.getpid(), signal.SIGKILL)
        return function(*args, **options)

    return call


if __name__ == "__main__":
    module, _, name = sys.argv[1].partition(":")
    found = import_module(module)
    setattr(found, name, killing(getattr(found, name), int(sys.argv[2])))
    main(sys.argv[3:])
