"""Reindexing that is killed again and again, each time at a random moment.

A program: `python -m tests.system.killed_reindex URL NUMBER SEED`. Each run is forked from a
process that has imported everything already; each fifth begins from scratch.
"""

import os
import random
import select
import signal
import sys

from forumsvc.cache.database import open_database
from forumsvc.services.search.reindexing import reindex
from tests.system.process import prepare_child

LIFE_SECONDS = (0.02, 0.6)


def main() -> None:
    url, number, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    chosen = random.Random(seed)  # noqa: S311 - nothing is secret
    for run in range(number):
        pid = os.fork()
        if not pid:
            _run(url, from_scratch=run % 5 == 0)
        select.select([], [], [], chosen.uniform(*LIFE_SECONDS))
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


def _run(url: str, *, from_scratch: bool) -> None:
    prepare_child()
    try:
        reindex(open_database(url), from_scratch=from_scratch)
    finally:
        # An error is that the run before it has not ended yet on the server.
        os._exit(0)


if __name__ == "__main__":
    main()
