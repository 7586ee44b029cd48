"""Generates load on a server: with `wrk` if it is installed, else with the bundled driver."""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.request import Request
from benchmarks.servers import ROOT, Server, environment

WRK_SCRIPT = Path(__file__).with_name("wrk.lua")
GRACE = 60.0
"""How much longer than the load itself a load generator may take."""


@dataclass(frozen=True)
class Burst:
    """The result of one run of the load generator.

    requests: number of responses; seconds: duration; errors: responses that were not 2xx or 3xx,
    and lost connections; p50, p99: latency in seconds of the median and the 99th percentile.
    """

    requests: int
    seconds: float
    errors: int
    p50: float
    p99: float

    @property
    def rate(self) -> float:
        """Answers a second."""
        return self.requests / self.seconds


Load = Callable[[Server, Sequence[Request], int, float], Burst]
"""Sends requests, repeatedly in their order, on so many connections for so many seconds."""


def choose(driver: str) -> tuple[str, Load]:
    """Return the name and function of a load generator: `wrk`, `python` or what `auto` finds."""
    if driver == "wrk" or (driver == "auto" and shutil.which("wrk")):
        return "wrk", wrk
    return "python", python


def wrk(server: Server, requests: Sequence[Request], connections: int, seconds: float) -> Burst:
    """Generate load with wrk, in one thread."""
    plan = server.ini.with_name("wrk-requests.lua")
    plan.write_text(f"return {{{', '.join(map(_lua_request, requests))}}}\n")
    whole = max(1, round(seconds))
    command = ["wrk", "-t1", f"-c{connections}", f"-d{whole}s", "--timeout", "30s"]
    command += ["-s", str(WRK_SCRIPT), f"http://127.0.0.1:{server.port}", "--", str(plan)]
    done = subprocess.run(
        command, check=True, capture_output=True, text=True, timeout=whole + GRACE
    )
    return Burst(**json.loads(done.stdout.splitlines()[-1]))


def python(server: Server, requests: Sequence[Request], connections: int, seconds: float) -> Burst:
    """Generate load with the bundled driver."""
    host = f"127.0.0.1:{server.port}"
    job = {
        "port": server.port,
        "requests": [request.raw(host).decode() for request in requests],
        "connections": connections,
        "seconds": seconds,
    }
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.driver"],
        input=json.dumps(job),
        cwd=ROOT,
        env=environment(),
        check=True,
        stdout=subprocess.PIPE,
        text=True,
        timeout=seconds + GRACE,
    )
    return Burst(**json.loads(done.stdout))


def _lua_request(request: Request) -> str:
    """Write a request as a Lua table: method, path, headers, body."""
    headers = ", ".join(f"[{_lua(k)}] = {_lua(v)}" for k, v in request.headers.items())
    body = "nil" if request.body is None else _lua(request.body)
    return f"{{{_lua(request.method)}, {_lua(request.path)}, {{{headers}}}, {body}}}"


def _lua(text: str) -> str:
    """Write a text as a Lua string."""
    return '"' + "".join(f"\\{byte:03d}" for byte in text.encode()) + '"'
