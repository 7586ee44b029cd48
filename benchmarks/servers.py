"""The measured servers: real pserve processes with generated ini files."""

import http.client
import json
import os
import re
import secrets
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.request import Request, Response
from benchmarks.usage import worker_pids
from tests.system.process import PATIENCE, alive, prepare_child, wait_until

ROOT = Path(__file__).parents[1]
# Without the background worker: what answers requests is measured.
INI = """
[app:main]
use = call:{factory}
{settings}

[server:main]
use = call:{server}
listen = 127.0.0.1:0
threads = {threads}
processes = {processes}
worker = false
connection_limit = 1000
asyncore_use_poll = true
ident =

[loggers]
keys = root
[handlers]
keys = console
[formatters]
keys = plain
[logger_root]
level = WARN
handlers = console
[handler_console]
class = StreamHandler
args = (sys.stderr,)
formatter = plain
[formatter_plain]
format = %(asctime)s %(levelname)s %(processName)s %(name)s: %(message)s
"""
SERVES = re.compile(r"^\w+ serves on http://127\.0\.0\.1:(\d+)$", re.M)
SITE = "http://127.0.0.1"
PSERVE = "pyramid.scripts.pserve"


@dataclass
class Server:
    """A running server.

    name: its label in the table; pid: of the started process; port: on 127.0.0.1; ini: its
    configuration, if it has one, beside which are its other files; processes: the number of worker
    processes.
    """

    name: str
    pid: int
    port: int
    ini: Path
    processes: int = 1

    @property
    def log_tail(self) -> str:
        """The end of its log."""
        return self.ini.with_suffix(".log").read_text()[-4000:]

    def send_request(self, request: Request) -> Response:
        """Send one request and return the response, whatever its status."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            connection.request(request.method, request.path, request.body, request.headers)
            response = connection.getresponse()
            headers = {name.lower(): value for name, value in response.getheaders()}
            return Response(response.status, headers, response.read())
        finally:
            connection.close()

    def request_json(self, request: Request) -> Any:
        """Send one request and return the response's JSON. Raises RuntimeError if it is not 2xx."""
        answer = self.send_request(request)
        if not 200 <= answer.status < 300:
            raise RuntimeError(f"{request.method} {request.path}: {answer.status} {answer.body!r}")
        return json.loads(answer.body)


def write_ini(
    folder: Path,
    name: str,
    settings: Mapping[str, str],
    *,
    factory: str = "forumsvc:main",
    threads: int = 8,
    processes: int = 1,
    server: str = "forumsvc.serving:server_factory",
) -> Path:
    """Write a server's configuration.

    factory, server: `module:callable`, a `paste.app_factory` and a `paste.server_factory`;
    settings: of `[app:main]`.
    """
    ini = folder / f"{name.replace(' ', '-')}.ini"
    lines = "\n".join(f"{key} = {value}" for key, value in settings.items())
    ini.write_text(
        INI.format(
            factory=factory, settings=lines, server=server, threads=threads, processes=processes
        )
    )
    return ini


def basic_settings(folder: Path, database: str) -> dict[str, str]:
    """Return the settings that a forum on this database needs, which every revision supports."""
    return {
        "sqlalchemy.url": database,
        "session.secret": secrets.token_hex(32),
        "site.url": SITE,
        "photos.dir": str(folder / "photos"),
    }


def forum_settings(folder: Path, database: str) -> dict[str, str]:
    """Return the settings of a forum in production on this database, to be measured.

    The load comes from one address, and logs in as one member on all connections at the same time.
    """
    return {
        **basic_settings(folder, database),
        "accounts.password_slots": "1000",
        "accounts.logins_per_user": "100000",
        "accounts.logins_per_address": "1000000",
    }


def serve(name: str, ini: Path, processes: int = 1) -> AbstractContextManager[Server]:
    """Start pserve, wait until it serves, and stop it afterwards."""
    return run(name, [PSERVE, str(ini)], ini, processes)


@contextmanager
def run(name: str, module: Sequence[str], ini: Path, processes: int = 1) -> Iterator[Server]:
    """Start a Python module that is a server, wait until it serves, and stop it afterwards.

    module: its name and arguments; ini: its log is beside it.
    """
    output = ini.with_suffix(".log")
    with output.open("wb") as file:
        process = subprocess.Popen(
            [sys.executable, "-m", *module],
            cwd=ROOT,
            env=environment(),
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=prepare_child,
        )
    try:
        wait_until(
            lambda: SERVES.search(output.read_text()) or not alive(process.pid), f"{name} serves"
        )
        found = SERVES.search(output.read_text())
        if found is None:
            raise RuntimeError(f"{name} does not serve:\n{output.read_text()[-4000:]}")
        wait_until(lambda: len(worker_pids(process.pid)) == processes, "its workers run")
        yield Server(name, process.pid, int(found[1]), ini, processes)
    finally:
        process.terminate()
        try:
            process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def environment(root: Path = ROOT) -> dict[str, str]:
    """Return the environment for the programs of a checkout."""
    return {**os.environ, "PYTHONPATH": str(root)}
