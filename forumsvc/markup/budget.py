"""Limits how much processor time each user may use, for texts or for images."""

import math
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from forumsvc.errors import RateLimited, too_many
from forumsvc.markup.renderer import ReportCpuTime

_WAIT_SECONDS = 2.0
"""How long a text waits while another text of its author is being rendered."""

_MAX_ACCOUNTS = 10_000
"""With more authors in memory than this, those with a full budget are dropped."""


class _Account:
    """The use of one author. used_seconds: as of `updated_at`, which is in `time.monotonic`."""

    __slots__ = ("busy", "updated_at", "used_seconds")

    def __init__(self) -> None:
        self.used_seconds = 0.0
        self.updated_at = 0.0
        self.busy = False


class RenderBudget:
    """Allows each author so many seconds of processor time a minute, one text or image at a time.

    The budget refills evenly over the minute. It is counted in this process. Thread-safe.
    """

    def __init__(self, seconds_per_minute: float = math.inf) -> None:
        """Start with a full budget for every author."""
        self._per_minute = seconds_per_minute
        self._changed = threading.Condition()
        self._accounts: dict[int, _Account] = {}

    @contextmanager
    def acquire(self, author_id: int) -> Iterator[ReportCpuTime]:
        """Reserve the renderer for one text of an author; yield a function that takes its seconds.

        Raises RateLimited if the author's budget is used up, or if another text of theirs is still
        being rendered.
        """
        account = self._acquire(author_id)

        def report_cpu_time(seconds: float) -> None:
            with self._changed:
                account.used_seconds += seconds

        try:
            yield report_cpu_time
        finally:
            with self._changed:
                account.busy = False
                self._changed.notify_all()

    def _acquire(self, author_id: int) -> _Account:
        with self._changed:
            self._drop_idle_accounts()
            account = self._accounts.setdefault(author_id, _Account())
            if not self._changed.wait_for(lambda: not account.busy, _WAIT_SECONDS):
                raise RateLimited("Another text of yours is still being rendered.", 1)
            # Afterwards, because the text before may have taken the rest of the budget.
            self._refill(account)
            if account.used_seconds >= self._per_minute:
                missing = (account.used_seconds - self._per_minute) * 60 / self._per_minute
                wait = max(1, math.ceil(missing))
                raise too_many(
                    "Your texts or images took too long. Try again in %(seconds)d seconds.", wait
                )
            account.busy = True
            return account

    def _refill(self, account: _Account) -> None:
        """Refill the budget by the time that has passed."""
        now = time.monotonic()
        if account.used_seconds:
            refilled = (now - account.updated_at) * self._per_minute / 60
            account.used_seconds = max(0.0, account.used_seconds - refilled)
        account.updated_at = now

    def _drop_idle_accounts(self) -> None:
        if len(self._accounts) <= _MAX_ACCOUNTS:
            return
        for author_id, account in list(self._accounts.items()):
            self._refill(account)
            if not account.used_seconds and not account.busy:
                del self._accounts[author_id]
