"""Whether response times reveal that a user exists: `python -m benchmarks.timing`.

A real pserve on SQLite gets wrong passwords for a user who exists and for one who does not, in
random order on one connection. The distributions are compared by the difference of the medians and
by the area under the ROC curve: how often somebody who knows one time of each would guess right
which is which (0.5: by chance). Both have a confidence interval of 99 % by resampling.
"""

import argparse
import bisect
import http.client
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlencode

from sqlalchemy import insert

from benchmarks.servers import Server, forum_settings, serve, write_ini
from forumsvc import clock, migrate
from forumsvc.database import open_database
from forumsvc.models import User
from forumsvc.oauth import clients
from forumsvc.passwords import hash_password

KNOWN, UNKNOWN = "ann", "nobody"
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
WARM_UP = 30
RESAMPLED = 400
UNLIMITED = {
    "accounts.login_failures": "1000",
    "accounts.login_failures_per_account_or_address": "100000",
    "accounts.login_window_seconds": "1",
}
"""Settings with which every guess is answered, and few failures are stored."""

Times = list[float]


class Estimate(NamedTuple):
    """A figure with its confidence interval of 99 %."""

    value: float
    low: float
    high: float

    def holds(self, figure: float) -> bool:
        """Return whether the figure lies in the interval."""
        return self.low <= figure <= self.high


def median_difference(one: Times, other: Times) -> float:
    """Return by how much the median of `one` is larger."""
    return statistics.median(one) - statistics.median(other)


def roc_area(one: Times, other: Times) -> float:
    """Return how often a value of `one` is larger than one of `other`; equal ones count half."""
    ordered = sorted(other)
    smaller = sum(bisect.bisect_left(ordered, value) for value in one)
    not_larger = sum(bisect.bisect_right(ordered, value) for value in one)
    return (smaller + not_larger) / (2 * len(one) * len(other))


def estimate(
    figure: Callable[[Times, Times], float], one: Times, other: Times, chance: random.Random
) -> Estimate:
    """Return a figure of two samples with its confidence interval, by resampling both."""
    drawn = sorted(
        figure(chance.choices(one, k=len(one)), chance.choices(other, k=len(other)))
        for _ in range(RESAMPLED)
    )
    edge = RESAMPLED // 200
    return Estimate(figure(one, other), drawn[edge], drawn[-1 - edge])


def main() -> int:
    """Measure and report; 0 if the times reveal nothing, 1 if they do."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--guesses", type=int, default=1000, help="of each kind")
    parser.add_argument("--seed", type=int, default=1, help="of the order")
    options = parser.parse_args()
    chance = random.Random(options.seed)  # noqa: S311 - no secret is made of it
    with tempfile.TemporaryDirectory(prefix="forumsvc-timing-") as name:
        folder = Path(name)
        url = f"sqlite:///{folder / 'forum.sqlite'}"
        client = prepare(url)
        settings = {**forum_settings(folder, url), **UNLIMITED}
        ini = write_ini(folder, "timing", settings)
        with serve("timing", ini) as server:
            times = measure(server, client, options.guesses, chance)
    return report(times[KNOWN], times[UNKNOWN], chance)


def prepare(url: str) -> clients.NewClient:
    """Create a database with one user and one client; return the client."""
    database = open_database(url)
    migrate.upgrade(database.writes)
    now = clock.now()
    with database.session.begin() as db:
        made = clients.create(db, "timing", grants=("password",))
        db.execute(
            insert(User).values(
                login=KNOWN,
                login_key=KNOWN,
                password_hash=hash_password("the right password"),
                created_at=now,
                updated_at=now,
            )
        )
    database.dispose()
    return made


def measure(
    server: Server, client: clients.NewClient, guesses: int, chance: random.Random
) -> dict[str, Times]:
    """Return the seconds of each response by username."""
    order = [KNOWN, UNKNOWN] * guesses
    chance.shuffle(order)
    times: dict[str, Times] = {KNOWN: [], UNKNOWN: []}
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    for number, username in enumerate([KNOWN, UNKNOWN] * (WARM_UP // 2) + order):
        form = {"grant_type": "password", "username": username, "password": "a wrong password"}
        body = urlencode({**client._asdict(), **form})
        began = time.perf_counter()
        connection.request("POST", "/oauth/token", body, FORM)
        response = connection.getresponse()
        body_bytes = response.read()
        took = time.perf_counter() - began
        if response.status != 400 or b"invalid_grant" not in body_bytes:
            raise RuntimeError(f"{response.status} {body_bytes!r}\n{server.log_tail}")
        if number >= WARM_UP:
            times[username].append(took)
    connection.close()
    return times


def report(known: Times, unknown: Times, chance: random.Random) -> int:
    """Print the figures; return 0 if the times do not differ, else 1."""
    difference = estimate(median_difference, known, unknown, chance)
    area = estimate(roc_area, known, unknown, chance)
    print(f"{'':14}{'guesses':>8}{'median':>10}{'quartiles':>20}")
    for name, times in (("known user", known), ("unknown user", unknown)):
        low, middle, high = (f"{1000 * cut:.2f}" for cut in statistics.quantiles(times, n=4))
        print(f"{name:14}{len(times):>8}{middle:>7} ms{low + ' to ' + high:>17} ms")
    micro = [f"{1e6 * figure:+.0f}" for figure in difference]
    print(f"difference of the medians: {micro[0]} µs ({micro[1]} to {micro[2]})")
    print(
        f"right guesses from one time of each: {area.value:.3f} ({area.low:.3f} to {area.high:.3f})"
    )
    told_apart = not area.holds(0.5)
    print("The times tell them apart." if told_apart else "The times do not tell them apart.")
    return int(told_apart)


if __name__ == "__main__":
    sys.exit(main())
