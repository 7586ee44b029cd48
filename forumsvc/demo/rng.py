"""Where the demo's chance comes from: named streams, and the skew that communities have."""

import random
from collections.abc import Sequence


def stream(seed: int, *names: object) -> random.Random:
    """Return a generator that depends on nothing but `seed` and `names`.

    Each part of the community draws from a stream of its own, so that a change to one part
    leaves the others as they were. (Seeding with text goes through SHA-512, not `hash()`.)
    """
    return random.Random("/".join(str(part) for part in (seed, *names)))  # noqa: S311 - no secret


class Skew:
    """Draws ranks 0 … n-1 with a density of about 1 / (rank + shift), as Zipf found for words.

    n: how many ranks there are, at least 1; shift: flattens the head, so that the first does not
    take everything.
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
    """Return whole numbers that add up to `total` and follow `weights` as closely as can be.

    Rounds the running sum, so that a weight below one still has its turn now and then. All zero
    where the weights are.
    """
    whole = sum(weights)
    if not whole:
        return [0] * len(weights)
    shares, running, given = [], 0.0, 0
    for weight in weights:
        running += weight
        upto = round(total * running / whole)
        shares.append(upto - given)
        given = upto
    # Floating-point addition in another order than sum()'s may leave one over at the end.
    heaviest = max(range(len(shares)), key=shares.__getitem__)
    shares[heaviest] += total - given
    return shares
