"""Servers of forums, and what they need beside them."""

import os
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.peer_programs.installing import NotToBeHad
from benchmarks.peer_programs.peer import Peer, Place
from benchmarks.request import Request, ask
from benchmarks.servers import Server, cpu_seconds
from tests.system.process import PATIENCE, alive, children, prepare_child, wait_until


@dataclass
class PeerServer(Server):
    """A running forum. beside: processes that it needs, without PostgreSQL; started_in: seconds."""

    beside: Sequence[int] = ()
    started_in: float = 0.0

    @property
    def megabytes(self) -> float:
        """The memory of all its processes together; what several share is counted once."""
        return sum(map(_proportional_megabytes, _trees((self.pid, *self.beside))))

    @property
    def cpu_seconds(self) -> float:
        """The processor time, user and system, of all its processes."""
        return sum(map(cpu_seconds, (self.pid, *self.beside)))


@contextmanager
def redis(folder: Path) -> Iterator[tuple[int, int]]:
    """Run a Redis from the wheel that the tests use; yield its port and process id."""
    try:
        from tests.system.redis_server import Redis, free_port
    except ImportError as error:
        raise NotToBeHad(f"there is no Redis: {error}") from error
    folder.mkdir()
    running = Redis(folder, free_port())
    try:
        running.start()
        yield running.port, running.processes[-1].pid
    finally:
        running.kill()


@contextmanager
def helpers(peer: Peer, place: Place) -> Iterator[list[int]]:
    """Run what the documents of a peer put beside its server; yield the process ids."""
    with ExitStack() as stack:
        yield [
            stack.enter_context(_process(command, peer, place, f"beside-{number}", 2)).pid
            for number, command in enumerate(peer.beside(place))
        ]


@contextmanager
def serve(
    peer: Peer, place: Place, path: str, processes: int, beside: Sequence[int] = ()
) -> Iterator[PeerServer]:
    """Start a server, wait until it answers a path with 200, and stop it afterwards."""
    from tests.system.redis_server import free_port

    port = free_port()
    command = peer.command(place, port, processes)
    name = f"{peer.key}-{processes}"
    began = time.monotonic()
    with _process(command, peer, place, name, processes) as process:
        log = place.folder / f"{name}.log"
        wait_until(lambda: _answers(port, path) or process.poll() is not None, f"{name} serves")
        if process.poll() is not None:
            raise RuntimeError(f"{name} does not serve:\n{log.read_text()[-4000:]}")
        took = time.monotonic() - began
        yield PeerServer(peer.name, process.pid, port, log, processes, beside, took)


@contextmanager
def _process(
    command: list[str], peer: Peer, place: Place, name: str, cores: int
) -> "Iterator[subprocess.Popen[bytes]]":
    """Run a command in the last cores, and end it and all that it started."""

    def prepare() -> None:
        prepare_child()
        os.sched_setaffinity(0, _CORES[-cores:])

    with (place.folder / f"{name}.log").open("ab") as log:
        process = subprocess.Popen(
            command,
            cwd=place.folder,
            env=peer.environment(place),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=prepare,
        )
    try:
        yield process
    finally:
        family = _trees([process.pid])
        process.terminate()
        try:
            process.wait(PATIENCE / 12)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        for pid in filter(alive, family):
            os.kill(pid, signal.SIGKILL)


_CORES = sorted(os.sched_getaffinity(0))
"""Of this machine, before the benchmark leaves the last one to the servers."""


def _answers(port: int, path: str) -> bool:
    try:
        return ask(port, Request("GET", path)).status == 200
    except OSError:
        return False


def _trees(pids: Sequence[int]) -> list[int]:
    """Return processes and all their descendants."""
    return [one for pid in pids for one in (pid, *_trees(children(pid)))]


def _proportional_megabytes(pid: int) -> float:
    """Return the memory of a process in MB of 10⁶ bytes; shared pages are divided."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except (FileNotFoundError, ProcessLookupError):
        return 0.0
    [kilobytes] = [int(line.split()[1]) for line in lines if line.startswith("Pss:")]
    return kilobytes * 1024 / 1e6
