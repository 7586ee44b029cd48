"""Dividing the connections among the workers that listen on one socket.

The system wakes them all for a client who knocks, and whoever is awake already comes first: left to
themselves, one worker takes most of the connections that come together and keeps them.
"""

import mmap
import select
import time
from collections.abc import Callable
from functools import partial

from waitress.server import BaseWSGIServer

MOMENT = 0.01
"""Seconds for which a worker leaves a knock to those that hold less: ample for one that can run."""
FAILURE = 0.1
"""Seconds for which a worker that cannot let anybody in leaves it to the others."""
LOOK = 0.001
"""Seconds after which one that has stepped back looks whether it is its turn."""
IDLE = 2.0
"""Seconds without a request after which a connection is no work to speak of."""
COUNT = 0.5
"""Seconds between two counts of such connections."""


class Shares:
    """How many connections each worker holds, in memory that all of them see.

    To be made before the fork. Workers are numbered from 1.
    """

    _NONE_TAKEN = 2**62

    def __init__(self, processes: int) -> None:
        self._held = memoryview(mmap.mmap(-1, 8 * processes)).cast("q")
        for number in range(1, processes + 1):
            self.leave(number)

    def hold(self, number: int, connections: int) -> None:
        """Tell how many a worker holds."""
        self._held[number - 1] = connections

    def leave(self, number: int) -> None:
        """Tell that a worker takes none: it has yet to start, is full, or has ended."""
        self._held[number - 1] = self._NONE_TAKEN

    def least(self) -> int:
        """Return how many the worker holds that takes some and holds the fewest."""
        return min(self._held.tolist())


class Share:
    """One worker's part in it: it steps back from its doors while another holds less.

    But for a moment only: whoever knocks waits no longer than that for a worker that hangs. And
    one that has stepped back counts for one more than it holds until it looks again: where
    connections come and go, two would else wait for each other all the time.
    """

    def __init__(self, shares: Shares, number: int, doors: list[BaseWSGIServer]) -> None:
        self._shares = shares
        self._number = number
        self._doors = doors
        self._back_until: float | None = None
        self._in_vain = False
        self._failed = False
        self._heard = False
        self._watching = False
        self._idle = 0
        self._count_at = 0.0
        for door in doors:
            door.readable = partial(self._watches, door.readable)
            door.handle_accept = partial(self._answers, door, door.handle_accept)

    def begin_turn(self, longest: float) -> float:
        """Tell the others how much this worker holds, and see whether it is to let anybody in.

        longest: for how many seconds the turn may wait. Returns that, or less.
        """
        now = time.monotonic()
        held = self._held(now)
        if self._watching and not self._heard:
            self._in_vain = False
        if self._back_until is not None:
            self._in_vain = now >= self._back_until
            if self._in_vain or (not self._failed and held <= self._shares.least()):
                self._back_until = None
                self._failed = False
        self._heard = False
        self._watching = self._back_until is None
        if self._failed or not self._doors[0].accepting:
            self._shares.leave(self._number)
        else:
            self._shares.hold(self._number, held if self._watching else held + 1)
        return longest if self._watching else min(longest, LOOK)

    def _held(self, now: float) -> int:
        """Return how many connections there are, without those that nobody has used for long."""
        if now >= self._count_at:
            self._count_at = now + COUNT
            before = time.time() - IDLE
            self._idle = sum(
                channel.last_activity < before and not channel.busy
                for door in self._doors
                for channel in door.active_channels.values()
            )
        return max(0, sum(len(door.active_channels) for door in self._doors) - self._idle)

    def _watches(self, readable: Callable[[], bool]) -> bool:
        """Tell whether a door is to be watched in this turn (`readable` of waitress)."""
        if readable():
            return self._watching
        self._shares.leave(self._number)  # It has as many connections as it may have.
        return False

    def _answers(self, door: BaseWSGIServer, accept: Callable[[], None]) -> None:
        """Let in who knocks, or step back (`handle_accept` of waitress).

        Where it has stepped back in vain it lets in who is there, until nobody is.
        """
        self._heard = True
        if self._back_until is not None:
            return  # since another door's knock, in this turn
        now = time.monotonic()
        if not self._in_vain and (held := self._held(now)) > self._shares.least():
            self._back_until = now + MOMENT
            self._shares.hold(self._number, held + 1)
            return
        before = len(door.active_channels)
        accept()
        if len(door.active_channels) > before:
            self._shares.hold(self._number, self._held(now))
        elif _still_knocks(door):
            self._failed = True
            self._back_until = now + FAILURE
            self._shares.leave(self._number)


def _still_knocks(door: BaseWSGIServer) -> bool:
    """Tell whether somebody waits whom nobody has let in, as where there is no descriptor left."""
    knock = select.poll()
    knock.register(door.socket, select.POLLIN)
    return bool(knock.poll(0))
