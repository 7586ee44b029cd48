"""Random numbers for the demo: named streams and skewed distributions."""

import random
from collections.abc import Sequence


def stream(seed: int, *names: object) -> random.Random:
    """Return a generator that depends only on `seed` and `names`.

    Each part of the community uses a stream of its own, so that a change to one part does not
    change the others. (Seeding with text uses SHA-512, not `hash()`.)
    """
    return random.Random("/".join(str(part) for part in (seed, *names)))  # noqa: S311 - no secret


class ZipfSampler:
    """Samples ranks 0 … n-1 with a density of about 1 / (rank + shift), as in Zipf's law.

    n: the number of ranks, at least 1; shift: makes the first ranks less likely.
    """

    def __init__(self, n: int, rng: random.Random, shift: float) -> None:
        self._random = rng.random
        self._shift = shift
        self._ratio = (n + shift) / shift
        self._last = n - 1

    def draw(self) -> int:
        """Return a rank; 0 is the most likely one."""
        rank = int(self._shift * self._ratio ** self._random() - self._shift)
        return rank if rank <= self._last else self._last


def long_tail(rng: random.Random, exponent: float, cap: float) -> float:
    """Return a Pareto-distributed weight of at least 1 and at most `cap`."""
    return min(cap, (1.0 - rng.random()) ** (-1.0 / exponent))


def apportion(weights: Sequence[float], total: int) -> list[int]:
    """Return integers that add up to `total` and are as proportional to `weights` as possible.

    Rounds the running sum, so that weights below one get a share now and then. All are zero if the
    weights are.
    """
    whole = sum(weights)
    if not whole:
        return [0] * len(weights)
    shares, running, assigned = [], 0.0, 0
    for weight in weights:
        running += weight
        upto = round(total * running / whole)
        shares.append(upto - assigned)
        assigned = upto
    # The running sum may differ from sum() by rounding, which can leave one at the end.
    heaviest = max(range(len(shares)), key=shares.__getitem__)
    shares[heaviest] += total - assigned
    return shares
