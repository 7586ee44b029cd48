"""The measured servers: real pserve processes of a checkout, with generated ini files."""

import json
import os
import re
import secrets
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.system.process import PATIENCE, alive, children, prepare_child, wait_until

ROOT = Path(__file__).parents[1]
# Without the background worker: what answers requests is measured.
INI = """
[app:main]
use = call:{factory}
{settings}

[server:main]
use = call:forumsvc.serving:server_factory
listen = 127.0.0.1:0
threads = 8
processes = {processes}
worker = false
connection_limit = 1000
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
TICKS, PAGE = os.sysconf("SC_CLK_TCK"), os.sysconf("SC_PAGE_SIZE")


@dataclass
class Server:
    """A running server.

    name: its label in the table; pid: of the started process; port: on 127.0.0.1; log: its file;
    processes: the number of worker processes.
    """

    name: str
    pid: int
    port: int
    log: Path
    processes: int = 1

    @property
    def log_tail(self) -> str:
        """The end of its log."""
        return self.log.read_text()[-4000:]

    @property
    def megabytes(self) -> float:
        """The resident memory of its largest worker process, in MB of 10⁶ bytes."""
        return max(map(resident_megabytes, worker_pids(self.pid)))

    @property
    def cpu_seconds(self) -> float:
        """The processor time, user and system, of all its processes."""
        return cpu_seconds(self.pid)


def forum_settings(folder: Path, database: str) -> dict[str, str]:
    """Return the settings of a forum in production on this database, for any revision.

    The load comes from one address, and logs in as one member on all connections at the same time.
    """
    return {
        "sqlalchemy.url": database,
        "session.secret": secrets.token_hex(32),
        "site.url": SITE,
        "photos.dir": str(folder / "photos"),
        "accounts.password_slots": "1000",
        "accounts.logins_per_user": "100000",
        "accounts.logins_per_address": "1000000",
    }


def write_ini(
    folder: Path,
    name: str,
    settings: Mapping[str, str],
    *,
    factory: str = "forumsvc:main",
    processes: int = 1,
) -> Path:
    """Write a server's configuration. factory: `module:callable`, a `paste.app_factory`."""
    ini = folder / f"{re.sub(r'[ ,]+', '-', name)}-{processes}.ini"
    lines = "\n".join(f"{key} = {value}" for key, value in settings.items())
    ini.write_text(INI.format(factory=factory, settings=lines, processes=processes))
    return ini


def url_of(ini: Path) -> str:
    """Return the URL of the database in a written configuration."""
    return ini.read_text().partition("sqlalchemy.url = ")[2].partition("\n")[0]


def forumsvc(ini: Path, *words: str, root: Path = ROOT, refused: bool = False) -> Any:
    """Run the command `forumsvc` of a checkout and return its JSON output, if any.

    refused: whether it may exit with 1, as `db check` does if it finds something.
    Raises CalledProcessError if it fails.
    """
    program = "from forumsvc.cli import main; main()"
    command = ["-c", program, "-c", str(ini), *words, "--json"]
    return json.loads(run_python(command, root, (0, 1) if refused else (0,)))


def run_python(words: list[str], root: Path, expected: tuple[int, ...] = (0,)) -> str:
    """Run Python with the modules of a checkout; return what it prints."""
    done = subprocess.run(
        [sys.executable, *words],
        cwd=root,
        env=environment(root),
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    if done.returncode not in expected:
        done.check_returncode()
    return done.stdout


@contextmanager
def serve(name: str, ini: Path, processes: int = 1, root: Path = ROOT) -> Iterator[Server]:
    """Start pserve of a checkout, wait until it serves, and stop it afterwards."""
    log = ini.with_suffix(".log")
    with log.open("wb") as file:
        process = subprocess.Popen(
            [sys.executable, "-m", "pyramid.scripts.pserve", str(ini)],
            cwd=root,
            env=environment(root),
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=prepare_child,
        )
    try:
        wait_until(
            lambda: SERVES.search(log.read_text()) or not alive(process.pid), f"{name} serves"
        )
        found = SERVES.search(log.read_text())
        if found is None:
            raise RuntimeError(f"{name} does not serve:\n{log.read_text()[-4000:]}")
        wait_until(lambda: len(worker_pids(process.pid)) == processes, "its workers run")
        yield Server(name, process.pid, int(found[1]), log, processes)
    finally:
        process.terminate()
        try:
            process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@contextmanager
def work(ini: Path) -> Iterator[int]:
    """Run the background worker of this checkout, and yield its process id."""
    command = [sys.executable, "-c", "from forumsvc.cli import main; main()", "-c", str(ini)]
    process = subprocess.Popen(
        [*command, "work"], cwd=ROOT, env=environment(), preexec_fn=prepare_child
    )
    try:
        yield process.pid
    finally:
        process.terminate()
        process.wait()


def environment(root: Path = ROOT) -> dict[str, str]:
    """Return the environment for the programs of a checkout."""
    return {**os.environ, "PYTHONPATH": str(root)}


def worker_pids(pid: int) -> list[int]:
    """Return the worker processes of a pserve, or itself if it has none."""
    return [child for child in children(pid) if _is_pserve(child)] or [pid]


def cpu_seconds(pid: int) -> float:
    """Return the processor time, user and system, of a process and all its descendants."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        # Its own, and that of those of its children that have ended.
        own = sum(map(int, fields[11:15])) / TICKS
    except (FileNotFoundError, ProcessLookupError):
        return 0.0
    return own + sum(map(cpu_seconds, children(pid)))


def resident_megabytes(pid: int) -> float:
    """Return the memory of a process, in MB of 10⁶ bytes."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * PAGE / 1e6


def _is_pserve(pid: int) -> bool:
    """Distinguish a forked worker from other programs that a server starts."""
    try:
        return b"pyramid.scripts.pserve" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return False
