"""How much time a text adds to a write: `python -m benchmarks.rendering`.

One process renders texts in its workers in random order: empty texts, whose time is that of the
communication with a worker; ordinary replies of the demo; and one with a list, a link, a mention
and highlighted code. The table also has the processor time of the process itself, for which other
requests of the process wait.
"""

import argparse
import random
import statistics
import sys
import time
from collections.abc import Sequence
from typing import NamedTuple

from benchmarks.endpoints import TEXT
from forumsvc.demo import texts
from forumsvc.demo.language import themes
from forumsvc.markup import Renderer

MAX_MILLISECONDS = 1.5
"""The longest that an ordinary reply may add to a write."""

TEXT_KINDS = NONE, ORDINARY, RICH = "none", "ordinary reply", "with code, list, link and mention"
WARM_UP = 50


class RenderTime(NamedTuple):
    """Milliseconds of a text, and of the processor time of the rendering process itself."""

    time: float
    own: float


def replies(count: int, chance: random.Random) -> list[str]:
    """Return replies of the demo."""
    kinds = themes("en")
    return [
        texts.reply(chance.choice(kinds), chance, mention=chance.choice([None, "ann"]))
        for _ in range(count)
    ]


def measure(sources: Sequence[tuple[str, str]]) -> dict[str, list[RenderTime]]:
    """Render texts, each with the name of its kind, and return their times by kind."""
    renderer = Renderer(workers=1)
    taken: dict[str, list[RenderTime]] = {}
    try:
        for number, (kind, text) in enumerate([*sources[:WARM_UP], *sources]):
            began, own = time.perf_counter(), time.thread_time()
            draft = renderer.render(text)
            spent = RenderTime(
                1000 * (time.perf_counter() - began), 1000 * (time.thread_time() - own)
            )
            if draft.fallback:
                raise RuntimeError(f"{draft.fallback}: {text}")
            if number >= WARM_UP:
                taken.setdefault(kind, []).append(spent)
    finally:
        renderer.close()
    return taken


def main() -> int:
    """Measure and report; 0 if an ordinary reply stays within its limit, else 1."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--texts", type=int, default=1000, help="of each kind")
    parser.add_argument("--seed", type=int, default=1, help="of the texts and their order")
    options = parser.parse_args()
    chance = random.Random(options.seed)  # noqa: S311 - no secret is made of it
    ordinary = replies(options.texts, chance)
    mixed = [(ORDINARY, text) for text in ordinary]
    mixed += [(NONE, ""), (RICH, TEXT.format(mentioned="ann"))] * options.texts
    chance.shuffle(mixed)
    return report(measure(mixed), statistics.mean(map(len, ordinary)))


def report(taken: dict[str, list[RenderTime]], length: float) -> int:
    """Print the figures; return 0 if the median of an ordinary reply is within its limit."""
    print("| text | best tenth | median | worst tenth | the server's own share |")
    print("|---|---:|---:|---:|---:|")
    medians = {}
    for kind in TEXT_KINDS:
        cuts = statistics.quantiles([spent.time for spent in taken[kind]], n=10)
        own = statistics.median(spent.own for spent in taken[kind])
        medians[kind] = cuts[4]
        cells = [f"{figure:.2f} ms" for figure in (cuts[0], cuts[4], cuts[-1], own)]
        print(f"| {' | '.join([kind, *cells])} |")
    adds = medians[ORDINARY]
    print(
        f"An ordinary reply ({length:.0f} characters) adds {adds:.2f} ms; "
        f"the limit is {MAX_MILLISECONDS} ms."
    )
    return int(adds > MAX_MILLISECONDS)


if __name__ == "__main__":
    sys.exit(main())
