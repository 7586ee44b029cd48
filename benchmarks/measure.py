"""Measures endpoints in rounds, each beside another server."""

import resource
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from statistics import median

from benchmarks.endpoints import Endpoint
from benchmarks.load import Burst, burst
from benchmarks.servers import Server, cpu_seconds

_SETTLE_SECONDS, _POLL_SECONDS = 30.0, 0.05


@dataclass(frozen=True)
class Sample:
    """One burst on a server.

    server_cpu, database_cpu, load_cpu: processor seconds that the server, its database and the load
    generator used; megabytes: memory of the largest worker process afterwards.
    """

    burst: Burst
    server_cpu: float
    database_cpu: float
    load_cpu: float
    megabytes: float

    @property
    def cpu_ms(self) -> float:
        """Of the server and its database, for a request."""
        return 1000 * (self.server_cpu + self.database_cpu) / self.burst.requests

    @property
    def cores(self) -> float:
        """How many cores were busy."""
        return (self.server_cpu + self.database_cpu + self.load_cpu) / self.burst.seconds


@dataclass
class Subject:
    """An endpoint of a server, and its samples of all rounds.

    connections: number of concurrent clients; database: process id of PostgreSQL, None for SQLite.
    """

    server: Server
    endpoint: Endpoint
    connections: int
    database: int | None = None
    samples: list[Sample] = field(default_factory=list)

    def median(self, figure: Callable[[Sample], float]) -> float:
        """Return the median of a figure over the rounds."""
        return median(map(figure, self.samples))

    @property
    def errors(self) -> int:
        """How many requests failed in all rounds."""
        return sum(sample.burst.errors for sample in self.samples)

    def ratio_to(self, other: "Subject") -> float:
        """Return the median of the rounds' ratios of rates."""
        pairs = zip(self.samples, other.samples, strict=True)
        return median(one.burst.rate / another.burst.rate for one, another in pairs)

    def sample(self, seconds: float) -> None:
        """Measure once, and wait until the server is idle."""
        used = self._cpu()
        found = burst(self.server.port, self.endpoint.requests, self.connections, seconds)
        cpu = [after - before for after, before in zip(self._cpu(), used, strict=True)]
        self.samples.append(Sample(found, cpu[0], cpu[1], cpu[2], self.server.megabytes))
        _settle(self.server)

    def _cpu(self) -> tuple[float, float, float]:
        """Return the processor seconds of server, database and all load generators so far."""
        ended = resource.getrusage(resource.RUSAGE_CHILDREN)
        database = cpu_seconds(self.database) if self.database else 0.0
        return self.server.cpu_seconds, database, ended.ru_utime + ended.ru_stime


def measure(groups: Sequence[Sequence[Subject]], rounds: int, seconds: float) -> None:
    """Sample all subjects in each round; those of a group directly after each other, by turns.

    The speed of a machine changes over time: what is compared belongs into a group. A warm-up round
    comes first, unless there is only one round.
    """
    started = time.monotonic()
    for number in range(0 if rounds > 1 else 1, rounds + 1):
        for group in groups:
            for subject in group if number % 2 else reversed(group):
                subject.sample(seconds)
        if number == 0:
            for subject in (subject for group in groups for subject in group):
                subject.samples.clear()
        print(f"round {number} of {rounds}, {time.monotonic() - started:.0f} s", flush=True)


def _settle(server: Server) -> None:
    """Wait until a server is idle, so that the next burst does not include its remaining work.

    A password takes a tenth of a second to check, and the load generator does not wait for it.
    """
    deadline, used = time.monotonic() + _SETTLE_SECONDS, server.cpu_seconds
    while time.monotonic() < deadline:
        time.sleep(_POLL_SECONDS)
        before, used = used, server.cpu_seconds
        if used == before:
            return
