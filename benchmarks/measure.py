"""Rounds of load on one endpoint after the other, each beside the empty view."""

import resource
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from statistics import median

from benchmarks.endpoints import Endpoint, Make
from benchmarks.load import Burst, Load
from benchmarks.request import get
from benchmarks.servers import Server
from benchmarks.usage import cpu_seconds, resident_megabytes, serving

EMPTY = [get("/")]
LONGEST = 60.0
"""Seconds that a burst may last at most."""
SETTLING, GLANCE = 30.0, 0.05
"""Seconds that a server gets to finish what was cut off, and between two looks at it."""


@dataclass(frozen=True)
class Subject:
    """One endpoint of one server under one load.

    connections: how many clients ask at once; empty: the empty view's server on the same settings;
    yardstick: the one that answers the same, if any; database: process id of the PostgreSQL
    behind it, None where the server is its own database.
    """

    server: Server
    endpoint: Endpoint
    connections: int
    empty: Server
    yardstick: Server | None = None
    database: int | None = None


@dataclass(frozen=True)
class Sample:
    """One burst on a subject, with those on the empty view and the yardstick just before it.

    server_cpu, database_cpu, load_cpu: processor seconds that the server, its database and the load
    generator used meanwhile, children included;
    megabytes: memory of the largest serving process afterwards.
    """

    burst: Burst
    empty: Burst
    yardstick: Burst | None
    server_cpu: float
    database_cpu: float
    load_cpu: float
    megabytes: float


@dataclass
class Result:
    """What all rounds saw of a subject; the figures are medians over the rounds."""

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
        """The rate as a part of the empty view's."""
        return self.median(lambda sample: sample.burst.rate / sample.empty.rate)

    @property
    def yardsticks(self) -> float | None:
        """The rate as a part of the yardstick's."""
        ratios = [
            sample.burst.rate / sample.yardstick.rate for sample in self.samples if sample.yardstick
        ]
        return median(ratios) if ratios else None

    @property
    def server_ms(self) -> float:
        """Milliseconds of the server's processor time a request."""
        return self.median(lambda sample: 1000 * sample.server_cpu / sample.burst.requests)

    @property
    def database_ms(self) -> float | None:
        """Milliseconds of the database server's processor time a request."""
        if self.subject.database is None:
            return None
        return self.median(lambda sample: 1000 * sample.database_cpu / sample.burst.requests)

    @property
    def cores(self) -> float:
        """How many cores were busy, with the request, its database and the load."""

        def busy(sample: Sample) -> float:
            used = sample.server_cpu + sample.database_cpu + sample.load_cpu
            return used / sample.burst.seconds

        return self.median(busy)

    @property
    def megabytes(self) -> float:
        """Memory of the largest serving process in the end."""
        return self.samples[-1].megabytes

    @property
    def errors(self) -> int:
        """How many requests failed in all rounds."""
        beside = [sample.empty for sample in self.samples]
        beside += [sample.yardstick for sample in self.samples if sample.yardstick]
        return sum(burst.errors for burst in [*beside, *(it.burst for it in self.samples)])


@dataclass(frozen=True)
class Plan:
    """How to measure: by which load generator, how often, how long."""

    load: Load
    rounds: int
    seconds: float

    def burst(self, server: Server, make: Make, connections: int) -> Burst:
        """Make load once; longer, with requests made anew, where not one answer came in the time.

        Raises RuntimeError where none came in LONGEST either.
        """
        seconds = self.seconds
        while seconds <= LONGEST:
            requests = make()
            burst = self.load(server, requests, connections, seconds)
            if burst.requests:
                return burst
            seconds *= 2
        raise RuntimeError(f"{server.name}: no answer to {requests[0].path} in {seconds / 2:g} s.")


def measure(subjects: Sequence[Subject], plan: Plan) -> list[Result]:
    """Measure all subjects in each of the plan's rounds; print how far it is.

    One that does not count goes before several; a single one is only to see that it works.
    What is compared is measured one right behind the other: the machine is not always as fast.
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
    """Return what subjects have in common whose rates are compared."""
    endpoint = subject.endpoint
    return subject.server.name, subject.connections, endpoint.name, endpoint.caller


def _sample(subject: Subject, plan: Plan) -> Sample:
    """Measure a subject once."""
    make, connections = subject.endpoint.make, subject.connections
    empty = plan.burst(subject.empty, lambda: EMPTY, connections)
    yardstick = None
    if subject.yardstick and subject.yardstick is not subject.server:
        yardstick = plan.burst(subject.yardstick, make, connections)
    used = _cpu(subject)
    burst = plan.burst(subject.server, make, connections)
    server, database, load = (
        after - before for after, before in zip(_cpu(subject), used, strict=True)
    )
    megabytes = max(map(resident_megabytes, serving(subject.server.pid)))
    _settle(subject.server)
    return Sample(burst, empty, yardstick, server, database, load, megabytes)


def _settle(server: Server) -> None:
    """Wait until a server does nothing any more, so that the next burst is not paid with its time.

    A password takes a tenth of a second to check, and the load generator leaves without waiting.
    """
    deadline = time.monotonic() + SETTLING
    used = cpu_seconds(server.pid)
    while time.monotonic() < deadline:
        time.sleep(GLANCE)
        before, used = used, cpu_seconds(server.pid)
        if used == before:
            return


def _cpu(subject: Subject) -> tuple[float, float, float]:
    """Return the processor seconds of the server, its database and all load generators so far."""
    database = cpu_seconds(subject.database) if subject.database else 0.0
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return cpu_seconds(subject.server.pid), database, ended.ru_utime + ended.ru_stime
