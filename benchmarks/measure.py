"""Rounds of load on one endpoint after the other, each beside the empty view."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from statistics import median

from benchmarks.community import Endpoint
from benchmarks.load import Burst, Load
from benchmarks.request import Request, get
from benchmarks.servers import Server
from benchmarks.usage import cpu_seconds

EMPTY = [get("/")]
LONGEST = 60.0
"""Seconds that a burst may last at most."""


@dataclass(frozen=True)
class Subject:
    """One endpoint of one server.

    database: process id of the PostgreSQL behind it, None where the server is its own database.
    """

    server: Server
    endpoint: Endpoint
    database: int | None = None


@dataclass(frozen=True)
class Sample:
    """One burst on a subject, with the burst on the empty view just before it.

    server_cpu, database_cpu: processor seconds that were used meanwhile, children included.
    """

    burst: Burst
    empty: Burst
    server_cpu: float
    database_cpu: float


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
    def errors(self) -> int:
        """How many requests failed in all rounds."""
        return sum(sample.burst.errors + sample.empty.errors for sample in self.samples)


@dataclass(frozen=True)
class Plan:
    """How to measure: by which load generator, on how many connections, how often, how long."""

    load: Load
    connections: int
    rounds: int
    seconds: float

    def burst(self, server: Server, requests: Sequence[Request]) -> Burst:
        """Make load once; longer where not one answer came in the time.

        Raises RuntimeError where none came in LONGEST either.
        """
        seconds = self.seconds
        while seconds <= LONGEST:
            burst = self.load(server, requests, self.connections, seconds)
            if burst.requests:
                return burst
            seconds *= 2
        raise RuntimeError(f"{server.name}: no answer to {requests[0].path} in {seconds / 2:g} s.")


def measure(subjects: Sequence[Subject], empty: Server, plan: Plan) -> list[Result]:
    """Measure all subjects in each of the plan's rounds; print how far it is.

    One that does not count goes before several; a single one is only to see that it works.
    """
    started = time.monotonic()
    results = [Result(subject) for subject in subjects]
    for subject in subjects if plan.rounds > 1 else ():
        plan.burst(subject.server, subject.endpoint.requests)
    for number in range(1, plan.rounds + 1):
        for result in results:
            result.samples.append(_sample(result.subject, empty, plan))
        print(f"round {number} of {plan.rounds}, {time.monotonic() - started:.0f} s", flush=True)
    return results


def _sample(subject: Subject, empty: Server, plan: Plan) -> Sample:
    """Measure a subject once."""
    reference = plan.burst(empty, EMPTY)
    used = _cpu(subject)
    burst = plan.burst(subject.server, subject.endpoint.requests)
    server, database = (after - before for after, before in zip(_cpu(subject), used, strict=True))
    return Sample(burst, reference, server, database)


def _cpu(subject: Subject) -> tuple[float, float]:
    """Return the processor seconds that the server and its database have used so far."""
    database = cpu_seconds(subject.database) if subject.database else 0.0
    return cpu_seconds(subject.server.pid), database
