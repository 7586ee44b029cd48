"""A real pserve with a test application."""

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from tests.system.process import PATIENCE, alive, children, prepare_child, wait_until

ROOT = Path(__file__).parents[2]
FACTORY = "paste.server_factory = forumsvc.serving:server_factory"
APP = "use = call:tests.system.serving_app:make_app\nnotes = {notes}"
INI = """
[app:main]
{app}

[server:main]
{entry}
{keys}
"""
LOGGING = """
[loggers]
keys = root
[handlers]
keys = console
[formatters]
keys = plain
[logger_root]
level = INFO
handlers = console
[handler_console]
class = StreamHandler
args = (sys.stderr,)
formatter = plain
[formatter_plain]
format = %(processName)s %(name)s: %(message)s
"""
"""The parts of an ini file for a log on standard error."""


@dataclass
class Response:
    """A response: status, headers (lower-case names) and body."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """The body, parsed as JSON."""
        return json.loads(self.body)


@dataclass
class Pserve:
    """A started pserve.

    process: the started one; output: the file with its log; notes: the folder where the application
    writes its notes; seen: the ids of all workers so far.
    """

    process: "subprocess.Popen[bytes]"
    output: Path
    notes: Path
    seen: set[int] = field(default_factory=set)

    @property
    def log(self) -> str:
        return self.output.read_text()

    @property
    def port(self) -> int:
        found = re.findall(r"^forumsvc serves on http://127\.0\.0\.1:(\d+)$", self.log, re.M)
        return int(found[-1])

    def workers(self) -> list[int]:
        found = children(self.process.pid)
        self.seen.update(found)
        return found

    def connect(self) -> http.client.HTTPConnection:
        """Return a connection to it that closes itself after PATIENCE."""
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)

    def get(self, path: str, **headers: str) -> Response:
        with closing(self.connect()) as connection:
            connection.request("GET", path, headers=headers)
            return read_response(connection)

    def post(self, path: str, token: str | None, **form: object) -> Response:
        """Send a form with a token."""
        headers = {
            "Authorization": f"Bearer {token}",
            "Content-Type": "application/x-www-form-urlencoded",
        }
        with closing(self.connect()) as connection:
            connection.request("POST", path, urlencode(form), headers)
            return read_response(connection)

    def refuses_connections(self) -> bool:
        with closing(self.connect()) as connection:
            try:
                connection.connect()
            except ConnectionError:
                return True
        return False

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Send a signal, wait for the end and return the exit code."""
        self.process.send_signal(number)
        return self.process.wait(PATIENCE)


def read_response(connection: http.client.HTTPConnection) -> Response:
    response = connection.getresponse()
    headers = {name.lower(): value for name, value in response.getheaders()}
    return Response(response.status, headers, response.read())


def start(
    tmp_path: Path,
    *arguments: str,
    entry: str = FACTORY,
    app: str = APP,
    activated_by: socket.socket | None = None,
    **keys: object,
) -> Pserve:
    """Start pserve with these keys in `[server:main]` and return at once.

    app: the lines of `[app:main]`; activated_by: a socket that it gets as from systemd.
    """
    notes = tmp_path / "notes"
    notes.mkdir(exist_ok=True)
    if not {"listen", "unix_socket", "port"} & keys.keys():
        keys["listen"] = "127.0.0.1:0"
    lines = "\n".join(f"{key} = {value}" for key, value in keys.items())
    ini = tmp_path / "serving.ini"
    ini.write_text(INI.format(app=app.format(notes=notes), keys=lines, entry=entry) + LOGGING)
    return launch(ini, tmp_path / "output", notes, *arguments, activated_by=activated_by)


def launch(
    ini: Path,
    output: Path,
    notes: Path,
    *arguments: str,
    prepare: Callable[[], None] = prepare_child,
    activated_by: socket.socket | None = None,
) -> Pserve:
    """Start pserve with an ini file, write its log to `output`, and return at once.

    notes: the folder of the application's notes, from which modules are imported, too; prepare:
    called in the new process first; activated_by: a socket that it gets as from systemd.
    """
    before: list[str] = []
    if activated_by is not None:
        activate = 'LISTEN_PID=$$ LISTEN_FDS=1 exec "$@" 3<&0 0</dev/null'
        before = ["sh", "-c", activate, "sh"]
    with output.open("wb") as file:
        process = subprocess.Popen(
            [*before, sys.executable, "-m", "pyramid.scripts.pserve", *arguments, str(ini)],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{notes}"},
            stdin=subprocess.DEVNULL if activated_by is None else activated_by.fileno(),
            stdout=file,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=prepare,
        )
    return Pserve(process, output, notes)


@contextmanager
def pserve(tmp_path: Path, *arguments: str, **keys: Any) -> Iterator[Pserve]:
    """Start pserve, wait until it serves, and stop it afterwards."""
    with serving(start(tmp_path, *arguments, **keys)) as server:
        yield server


@contextmanager
def serving(server: Pserve) -> Iterator[Pserve]:
    """Wait until a started pserve serves, and stop it afterwards."""
    try:
        wait_until(
            lambda: "forumsvc serves on" in server.log or not alive(server.process.pid),
            "pserve serves",
        )
        assert alive(server.process.pid), server.log
        yield server
    finally:
        server.workers()
        for pid in (server.process.pid, *server.seen):
            if alive(pid):
                os.kill(pid, signal.SIGKILL)
        server.process.wait(PATIENCE)
