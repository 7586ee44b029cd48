"""Runs untrusted work in processes that can be killed, with limits and an empty environment.

`SandboxProcess` is one such process; `SandboxPool` keeps some of them for short tasks. The package
knows nothing of the tasks: a task is a module with a function `start() -> Callable[[dict], dict]`,
which is imported in the sandbox process only.
"""

from .errors import CpuLimitError, CrashError, DeadlineError, PoolBusyError, SandboxError
from .pool import SandboxPool
from .process import SandboxProcess

__all__ = [
    "CpuLimitError",
    "CrashError",
    "DeadlineError",
    "PoolBusyError",
    "SandboxError",
    "SandboxPool",
    "SandboxProcess",
]
