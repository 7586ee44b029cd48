"""Measures endpoints in rounds, each beside the Pyramid baseline."""

import resource
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from statistics import median

from benchmarks.endpoints import Endpoint, Make
from benchmarks.load import Burst, Load
from benchmarks.request import get
from benchmarks.servers import Server
from benchmarks.usage import cpu_seconds, resident_megabytes, worker_pids

BASELINE_REQUESTS = [get("/")]
MAX_BURST_SECONDS = 60.0
"""The longest a burst may last."""
SETTLE_SECONDS, SETTLE_POLL_SECONDS = 30.0, 0.05
"""Seconds that a server gets to finish what was cut off, and between two looks at it."""


@dataclass(frozen=True)
class Subject:
    """One endpoint of one server under one load.

    connections: number of concurrent clients; baseline: the Pyramid baseline's server with the
    same options; asyncpg_baseline: the server of the same endpoint there, if any; database: process
    id of the PostgreSQL server, None for SQLite.
    """

    server: Server
    endpoint: Endpoint
    connections: int
    baseline: Server
    asyncpg_baseline: Server | None = None
    database: int | None = None


@dataclass(frozen=True)
class Sample:
    """One burst on a subject, with those on the baselines just before it.

    server_cpu, database_cpu, load_cpu: processor seconds that the server, its database and the load
    generator used during the burst, including child processes;
    megabytes: memory of the largest worker process afterwards.
    """

    burst: Burst
    baseline: Burst
    asyncpg_baseline: Burst | None
    server_cpu: float
    database_cpu: float
    load_cpu: float
    megabytes: float


@dataclass
class Result:
    """The samples of all rounds of a subject; the figures are medians over the rounds."""

    subject: Subject
    samples: list[Sample] = field(default_factory=list)

    def median(self, figure: Callable[[Sample], float]) -> float:
        """Return the median of a figure."""
        return median(map(figure, self.samples))

    @property
    def rate(self) -> float:
        """Requests a second."""
        return self.median(lambda sample: sample.burst.rate)

    @property
    def ratio(self) -> float:
        """The rate relative to the Pyramid baseline."""
        return self.median(lambda sample: sample.burst.rate / sample.baseline.rate)

    @property
    def asyncpg_ratio(self) -> float | None:
        """The rate relative to the asyncpg baseline."""
        ratios = [
            sample.burst.rate / sample.asyncpg_baseline.rate
            for sample in self.samples
            if sample.asyncpg_baseline
        ]
        return median(ratios) if ratios else None

    @property
    def server_ms(self) -> float:
        """The server's processor time for a request, in milliseconds."""
        return self.median(lambda sample: 1000 * sample.server_cpu / sample.burst.requests)

    @property
    def database_ms(self) -> float | None:
        """The database server's processor time for a request, in milliseconds."""
        if self.subject.database is None:
            return None
        return self.median(lambda sample: 1000 * sample.database_cpu / sample.burst.requests)

    @property
    def cores(self) -> float:
        """How many cores were busy with the server, its database and the load generator."""

        def busy(sample: Sample) -> float:
            used = sample.server_cpu + sample.database_cpu + sample.load_cpu
            return used / sample.burst.seconds

        return self.median(busy)

    @property
    def megabytes(self) -> float:
        """Memory of the largest worker process at the end."""
        return self.samples[-1].megabytes

    @property
    def errors(self) -> int:
        """How many requests failed in all rounds."""
        baselines = [sample.baseline for sample in self.samples]
        baselines += [sample.asyncpg_baseline for sample in self.samples if sample.asyncpg_baseline]
        return sum(burst.errors for burst in [*baselines, *(it.burst for it in self.samples)])


@dataclass(frozen=True)
class MeasurementPlan:
    """How to measure: with which load generator, how many rounds, how long."""

    load: Load
    rounds: int
    seconds: float

    def burst(self, server: Server, make: Make, connections: int) -> Burst:
        """Generate load once; repeat it longer, with new requests, if no response came in the time.

        Raises RuntimeError if none came within MAX_BURST_SECONDS either.
        """
        seconds = self.seconds
        while seconds <= MAX_BURST_SECONDS:
            requests = make()
            burst = self.load(server, requests, connections, seconds)
            if burst.requests:
                return burst
            seconds *= 2
        raise RuntimeError(f"{server.name}: no answer to {requests[0].path} in {seconds / 2:g} s.")


def measure(subjects: Sequence[Subject], plan: MeasurementPlan) -> list[Result]:
    """Measure all subjects in each of the plan's rounds; print the progress.

    A warm-up round comes first, unless there is only one round. Compared subjects are measured one
    right after another, because the speed of the machine changes over time.
    """
    started = time.monotonic()
    results = [Result(subject) for subject in subjects]
    in_turn = sorted(results, key=lambda result: _compared(result.subject))
    for subject in subjects if plan.rounds > 1 else ():
        plan.burst(subject.server, subject.endpoint.make, subject.connections)
        _settle(subject.server)
    for number in range(1, plan.rounds + 1):
        for result in in_turn:
            result.samples.append(_sample(result.subject, plan))
        print(f"round {number} of {plan.rounds}, {time.monotonic() - started:.0f} s", flush=True)
    return results


def _compared(subject: Subject) -> tuple[str, int, str, str]:
    """Return the key that subjects share whose rates are compared."""
    endpoint = subject.endpoint
    return subject.server.name, subject.connections, endpoint.name, endpoint.caller


def _sample(subject: Subject, plan: MeasurementPlan) -> Sample:
    """Measure a subject once."""
    make, connections = subject.endpoint.make, subject.connections
    empty = plan.burst(subject.baseline, lambda: BASELINE_REQUESTS, connections)
    asyncpg_baseline = None
    if subject.asyncpg_baseline and subject.asyncpg_baseline is not subject.server:
        asyncpg_baseline = plan.burst(subject.asyncpg_baseline, make, connections)
    used = _cpu(subject)
    burst = plan.burst(subject.server, make, connections)
    server, database, load = (
        after - before for after, before in zip(_cpu(subject), used, strict=True)
    )
    megabytes = max(map(resident_megabytes, worker_pids(subject.server.pid)))
    _settle(subject.server)
    return Sample(burst, empty, asyncpg_baseline, server, database, load, megabytes)


def _settle(server: Server) -> None:
    """Wait until a server is idle, so that the next burst does not include its remaining work.

    A password takes a tenth of a second to check, and the load generator does not wait for it.
    """
    deadline = time.monotonic() + SETTLE_SECONDS
    used = cpu_seconds(server.pid)
    while time.monotonic() < deadline:
        time.sleep(SETTLE_POLL_SECONDS)
        before, used = used, cpu_seconds(server.pid)
        if used == before:
            return


def _cpu(subject: Subject) -> tuple[float, float, float]:
    """Return the processor seconds of the server, its database and all load generators so far."""
    database = cpu_seconds(subject.database) if subject.database else 0.0
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return cpu_seconds(subject.server.pid), database, ended.ru_utime + ended.ru_stime
