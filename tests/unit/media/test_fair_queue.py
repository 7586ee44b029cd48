"""The queue of images is shared fairly."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from forumsvc.media.fair_queue import FairQueue, QueueFullError


class Line:
    """Callers in a queue of four places, each in a thread. order: whose turn came, or was lost."""

    def __init__(self) -> None:
        self.queue = FairQueue(4)
        self.order: list[str] = []
        self._threads: list[threading.Thread] = []

    def come(self, user: str) -> None:
        """Let a user take a place, and return when it waits or was refused."""
        entered = threading.Event()
        enter = self.queue._enter

        def enter_and_tell(user: object) -> object:
            try:
                return enter(user)
            finally:
                entered.set()

        self.queue._enter = enter_and_tell  # type: ignore[assignment, method-assign]

        def wait() -> None:
            try:
                with self.queue.turn(user, 30):
                    self.order.append(user)
            except QueueFullError:
                self.order.append(f"{user} refused")

        self._threads.append(threading.Thread(target=wait))
        self._threads[-1].start()
        assert entered.wait(30)
        self.queue._enter = enter  # type: ignore[method-assign]

    @contextmanager
    def busy_for(self, user: str) -> Iterator[None]:
        """Hold the turn of a user during the block; afterwards wait for all that came."""
        with self.queue.turn(user, 0):
            yield
        for thread in self._threads:
            thread.join(30)


@pytest.fixture
def line() -> Line:
    return Line()


def test_in_a_full_queue_another_user_gets_a_place_and_the_next_turn(line):
    with line.busy_for("ann"):
        for _ in range(3):
            line.come("ann")
        line.come("bob")
        line._threads[2].join(30)
        assert line.order == ["ann refused"]
    assert line.order[1] == "bob"
    assert sorted(line.order) == ["ann", "ann", "ann refused", "bob"]


def test_a_user_gets_no_place_from_those_who_have_no_more(line):
    with line.busy_for("ann"):
        for user in ("bob", "cid", "dan", "eve"):
            line.come(user)
        line._threads[3].join(30)
        assert line.order == ["eve refused"]
    assert line.order[1:] == ["bob", "cid", "dan"]


def test_a_turn_that_does_not_come_in_time_leaves_its_place(line):
    with line.busy_for("ann"):
        for _ in range(5):
            with pytest.raises(QueueFullError), line.queue.turn("bob", 0):
                pass
    with line.queue.turn("bob", 0):
        pass
