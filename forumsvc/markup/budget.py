"""How much of the renderer one author may use."""

import math
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from forumsvc.errors import RateLimited
from forumsvc.markup.renderer import Used

_TURN_SECONDS = 2.0
"""How long a text waits for another one of its author, which is rendered at the moment."""

_MANY = 10_000
"""Authors in memory above which those who have all of their time again are forgotten."""


class _Account:
    """What one author has used. seconds: as of `at`, by `time.monotonic`."""

    __slots__ = ("at", "busy", "seconds")

    def __init__(self) -> None:
        self.seconds = 0.0
        self.at = 0.0
        self.busy = False


class RenderBudget:
    """Lets each author use so many seconds of processor time a minute, one text at a time.

    What is used comes back evenly over the minute. Counted in this process. Safe between threads.
    """

    def __init__(self, seconds_per_minute: float = math.inf) -> None:
        """Begin with all of the time for everybody."""
        self._per_minute = seconds_per_minute
        self._changed = threading.Condition()
        self._accounts: dict[int, _Account] = {}

    @contextmanager
    def turn(self, author_id: int) -> Iterator[Used]:
        """Let one text of an author be rendered; yield what takes the seconds that it took.

        Raises RateLimited where the author's time is used up, or another text of theirs is
        still being rendered.
        """
        account = self._begin(author_id)

        def used(seconds: float) -> None:
            with self._changed:
                account.seconds += seconds

        try:
            yield used
        finally:
            with self._changed:
                account.busy = False
                self._changed.notify_all()

    def _begin(self, author_id: int) -> _Account:
        with self._changed:
            self._forget()
            account = self._accounts.setdefault(author_id, _Account())
            self._settle(account)
            if account.seconds >= self._per_minute:
                missing = (account.seconds - self._per_minute) * 60 / self._per_minute
                wait = max(1, math.ceil(missing))
                raise RateLimited(
                    f"Your texts took too long to render. Try again in {wait} seconds.", wait
                )
            if not self._changed.wait_for(lambda: not account.busy, _TURN_SECONDS):
                raise RateLimited("Another text of yours is still being rendered.", 1)
            account.busy = True
            return account

    def _settle(self, account: _Account) -> None:
        """Give back what the time that passed gives back."""
        now = time.monotonic()
        if account.seconds:
            back = (now - account.at) * self._per_minute / 60
            account.seconds = max(0.0, account.seconds - back)
        account.at = now

    def _forget(self) -> None:
        if len(self._accounts) <= _MANY:
            return
        for author_id, account in list(self._accounts.items()):
            self._settle(account)
            if not account.seconds and not account.busy:
                del self._accounts[author_id]
