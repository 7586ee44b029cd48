"""The machine that the figures come from, and its software."""

import os
import platform
import subprocess
from importlib.metadata import version
from pathlib import Path

LIBRARIES = ("pyramid", "waitress", "SQLAlchemy", "psycopg", "orjson")


def describe() -> str:
    """Describe the machine and its software in one line."""
    cpuinfo = Path("/proc/cpuinfo")
    models = [
        line.partition(":")[2].strip()
        for line in (cpuinfo.read_text().splitlines() if cpuinfo.exists() else [])
        if line.startswith("model name")
    ]
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 1e9
    libraries = ", ".join(f"{name} {version(name)}" for name in LIBRARIES)
    return (
        f"{models[0] if models else platform.machine()}, {len(os.sched_getaffinity(0))} cores, "
        f"{memory:.0f} GB; {platform.system()} {platform.release()}; "
        f"Python {platform.python_version()}, {libraries}"
    )


def wrk_version() -> str:
    """Return wrk's version."""
    output = subprocess.run(["wrk", "-v"], capture_output=True, text=True, check=False).stdout
    return "wrk " + output.partition("wrk ")[2].split(" ")[0]
