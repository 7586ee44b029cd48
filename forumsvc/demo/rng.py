"""Random numbers for the demo: named streams and skewed distributions."""

import random


def stream(seed: int, *names: object) -> random.Random:
    """Return a generator that depends only on `seed` and `names`.

    Each part of the community uses a stream of its own, so that a change to one part does not
    change the others. (Seeding with text uses SHA-512, not `hash()`.)
    """
    return random.Random("/".join(str(part) for part in (seed, *names)))  # noqa: S311 - no secret


def zipf(rng: random.Random, count: int, shift: float) -> int:
    """Return a rank 0 … count-1 with a density of about 1 / (rank + shift), as in Zipf's law.

    shift: makes the first ranks less likely.
    """
    rank = int(shift * ((count + shift) / shift) ** rng.random() - shift)
    return min(rank, count - 1)
