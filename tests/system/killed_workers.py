"""Background workers that are killed one after the other, each at a random moment of its life.

A program: `python -m tests.system.killed_workers INI NUMBER SEED`. It forks each of them from a
process that has imported everything already, prints a line when NUMBER are killed, and lets the
last one live until its standard input ends. Their locks are short, so that each goes on with the
work of the one before.
"""

import os
import random
import select
import signal
import sys
from datetime import timedelta

import plaster

from forumsvc.background import webhook_sender
from forumsvc.background.event_consumer import EventReader
from forumsvc.background.periodic import PeriodicJobs
from forumsvc.serving.background import run_until_signal
from tests.system.process import prepare_child

LOCK_SECONDS = 1.0
LIFE_SECONDS = (0.1, 0.9)


def main() -> None:
    """Start and kill the workers."""
    ini, number, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    chosen = random.Random(seed)  # noqa: S311 - nothing is secret
    EventReader.lock = timedelta(seconds=LOCK_SECONDS / 3)
    PeriodicJobs.lock = timedelta(seconds=LOCK_SECONDS)
    webhook_sender.WebhookSender.lock = timedelta(seconds=LOCK_SECONDS)
    webhook_sender._BEGIN_SECONDS = LOCK_SECONDS / 3
    for _ in range(number):
        pid = _start(ini)
        select.select([], [], [], chosen.uniform(*LIFE_SECONDS))
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    last = _start(ini)
    sys.stdout.write(f"{number} are killed\n")
    sys.stdout.flush()
    sys.stdin.read()
    os.kill(last, signal.SIGTERM)
    os.waitpid(last, 0)


def _start(ini: str) -> int:
    """Fork a worker, and return its process id when it begins to work."""
    begins, tell = os.pipe()
    pid = os.fork()
    os.close(begins if pid == 0 else tell)
    if pid:
        os.read(begins, 1)
        os.close(begins)
        return pid
    prepare_child()
    application = plaster.get_loader(ini, ["wsgi"]).get_wsgi_app()
    os.write(tell, b"1")
    run_until_signal(application.background, 30)
    os._exit(0)


if __name__ == "__main__":
    main()
