"""The processor time and memory of processes, from /proc (Linux)."""

import os
from pathlib import Path

from tests.system.process import children

TICKS = os.sysconf("SC_CLK_TCK")


def tree(pid: int) -> list[int]:
    """Return a process and all its descendants."""
    return [pid, *(below for child in children(pid) for below in tree(child))]


def worker_pids(pid: int) -> list[int]:
    """Return the worker processes of a pserve, or itself if it has none."""
    return [child for child in children(pid) if _is_pserve(child)] or [pid]


def cpu_seconds(pid: int) -> float:
    """Return the processor time, user and system, of a process and all its descendants."""
    return sum(map(_cpu_seconds, tree(pid)))


def resident_megabytes(pid: int) -> float:
    """Return the resident memory of a process, including shared pages, in MB of 10⁶ bytes."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024 / 1e6
    return 0.0


def _cpu_seconds(pid: int) -> float:
    """Return the time of one process and of those of its children that have ended."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return 0.0
    return sum(map(int, fields[11:15])) / TICKS


def _is_pserve(pid: int) -> bool:
    """Distinguish a forked worker from other programs that a server starts."""
    try:
        return b"pyramid.scripts.pserve" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return False
