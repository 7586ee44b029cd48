"""Dividing the connections among the workers that listen on one socket.

The system wakes them all for a client who knocks, and whoever is awake already comes first: left to
themselves, one worker takes most of the connections that come together and keeps them.
"""

import mmap
import time
from collections.abc import Callable
from functools import partial

from waitress.server import BaseWSGIServer

MOMENT = 0.01
"""Seconds for which a worker leaves a knock to those that hold less: ample for one that can run."""


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
        """Tell that a worker takes none: it has yet to start, or has ended."""
        self._held[number - 1] = self._NONE_TAKEN

    def least(self) -> int:
        """Return how many the worker holds that holds the fewest."""
        return min(self._held.tolist())


class Share:
    """One worker's part in it: it steps back from its doors while another holds less.

    But for a moment only. Whoever knocks waits no longer than that for a worker that hangs.
    """

    def __init__(self, shares: Shares, number: int, doors: list[BaseWSGIServer]) -> None:
        self._shares = shares
        self._number = number
        self._doors = doors
        self._back: float | None = None
        self._watched = False
        self._heard = False
        for door in doors:
            door.readable = partial(self._watches, door.readable)
            door.handle_accept = partial(self._answers, door.handle_accept)
        self._tell()

    def pause(self) -> float:
        """Return for how many seconds more this worker steps back; 0 if it does not."""
        return 0.0 if self._back is None else max(0.0, self._back - time.monotonic())

    def end_turn(self) -> None:
        """Note that a turn of the server is over, in which connections came and went."""
        self._tell()
        if self._watched and not self._heard:
            self._back = None
        self._watched = self._heard = False

    def _tell(self) -> int:
        """Tell the others how many connections this worker holds, and return it."""
        held = sum(len(door.active_channels) for door in self._doors)
        if self._doors[0].accepting:
            self._shares.hold(self._number, held)
        else:
            self._shares.leave(self._number)
        return held

    def _watches(self, readable: Callable[[], bool]) -> bool:
        """Tell whether a door is to be watched in this turn (`readable` of waitress)."""
        watches = readable() and not self.pause()
        self._watched |= watches
        return watches

    def _answers(self, accept: Callable[[], None]) -> None:
        """Let in who knocks, or step back (`handle_accept` of waitress).

        Where it has stepped back in vain it lets in who is there, until nobody is.
        """
        self._heard = True
        if self._back is None and self._tell() > self._shares.least():
            self._back = time.monotonic() + MOMENT
        else:
            accept()
            self._tell()
