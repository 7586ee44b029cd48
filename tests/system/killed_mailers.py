"""A sender of emails about what happened, copies of which are killed at a moment of their way.

A program: `python -m tests.system.killed_mailers URL FOLDER PORT`. For each line of its input,
`MOMENT MINUTES`, it makes jobs of what is due, as if it were so many minutes later, sends the
emails to the server at PORT, and prints how many moments there were: calls and returns of functions
on the way. Where MOMENT is not 0, a copy of the process does so, ends at this moment as by
`kill -9`, and `killed` is printed.
"""

import os
import signal
import smtplib
import sys
from datetime import timedelta
from pathlib import Path
from types import FrameType
from typing import Any

from sqlalchemy.engine import default

import forumsvc
from forumsvc import clock
from forumsvc.background.job_runner import JobRunner
from forumsvc.background.maintenance import periodic_work
from forumsvc.background.notification_mailer import NotificationMailer
from forumsvc.mail import SmtpDelivery
from forumsvc.models import JobKind
from tests.functional.forum import make_app
from tests.system.process import prepare_child

SITE = "https://forum.example.org"
SETTINGS = {
    "site.url": SITE,
    "mail.delivery": "smtp",
    "mail.host": "127.0.0.1",
    "mail.security": "none",
    "mail.sender": "f@example.org",
}
_WORKS = ("notification-mails", "digests")
_PACKAGE = Path(forumsvc.__file__).parent
_ON_THE_WAY = (
    *(smtplib.__file__, default.__file__, str(_PACKAGE / "mail" / "delivery.py")),
    *(str(_PACKAGE / "background" / name) for name in ("job_runner.py", "notification_mailer.py")),
    *(str(_PACKAGE / "services" / name) for name in ("jobs.py", "notifications")),
)
"""Their functions are the moments: jobs, statements, commits, and what the server is told."""


class Moments:
    """Counts the moments, and ends the process at one of them."""

    def __init__(self, last: int) -> None:
        self.count = 0
        self._last = last

    def __call__(self, frame: FrameType, event: str, argument: Any) -> None:
        if event in ("call", "return") and frame.f_code.co_filename.startswith(_ON_THE_WAY):
            self.count += 1
            if self.count == self._last:
                os.kill(os.getpid(), signal.SIGKILL)


def main() -> None:
    """Send, or let a copy send, for each line."""
    url, folder, port = sys.argv[1:]
    registry = make_app(url, Path(folder), **SETTINGS, **{"mail.port": port}).registry
    usual = clock.now
    for line in sys.stdin:
        moment, minutes = map(int, line.split())
        ahead = timedelta(minutes=minutes)
        clock.now = lambda ahead=ahead: usual() + ahead  # type: ignore[misc]
        sys.stdout.write(f"{_killed(registry, moment) if moment else _send(registry, 0)}\n")
        sys.stdout.flush()


def _killed(registry: Any, moment: int) -> str:
    """Let a copy of this process send; return how it ended."""
    pid = os.fork()
    if not pid:
        prepare_child()
        registry.database.reset_after_fork()
        _send(registry, moment)
        os._exit(0)
    _, status = os.waitpid(pid, 0)
    return "killed" if os.WIFSIGNALED(status) else "not killed"


def _send(registry: Any, moment: int) -> int:
    """Send what is due, until this moment; return how many there were."""
    database, settings = registry.database, registry.forum_settings
    services = registry.photo_storages, registry.authoring, settings
    works = {work.name: work for work in periodic_work(database, *services)}
    port = settings["mail.port"]
    delivery = SmtpDelivery("127.0.0.1", port, "none", "", "", 30, "forum.example.org")
    runner = JobRunner(database, [NotificationMailer(database, settings, delivery)], 0.01)
    moments = Moments(moment)
    sys.setprofile(moments)
    for name in _WORKS:
        for _ in works[name].run():
            pass
    runner.run_due(JobKind.NOTIFICATION_MAIL)
    sys.setprofile(None)
    return moments.count


if __name__ == "__main__":
    main()
