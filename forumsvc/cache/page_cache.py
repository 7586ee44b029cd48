"""What was made once and is kept for the next who asks: bounded, and never older than its mark.

Nothing here knows whether it is still true. Whoever takes something out compares the mark that it
was put in under with the mark of now, which the database tells.
"""

from collections import OrderedDict
from collections.abc import Hashable
from threading import Lock
from typing import Any


class Memory:
    """Values by key, the longest unused of which make room for new ones. Safe between threads.

    hits, misses: how often a value was taken, and how often there was none or one too old.
    evictions: how many made room for others.
    """

    def __init__(self, size: int) -> None:
        """Be empty. size: of all values together, in bytes; 0: keep nothing."""
        self.size = size
        self.used = 0
        self.hits = 0
        self.misses = 0
        self.evictions = 0
        self._kept: OrderedDict[Hashable, tuple[Any, Any, int]] = OrderedDict()
        self._lock = Lock()

    def get(self, key: Hashable, mark: Any) -> Any | None:
        """Return the value of a key if it was put in under this mark, else None."""
        with self._lock:
            kept = self._kept.get(key)
            if kept is None or kept[0] != mark:
                self.misses += 1
                return None
            self._kept.move_to_end(key)
            self.hits += 1
            return kept[1]

    def peek(self, key: Hashable, mark: Any) -> Any | None:
        """Return what `get` does; it counts neither as a hit nor as a miss, nor as used."""
        kept = self._kept.get(key)
        return kept[1] if kept is not None and kept[0] == mark else None

    def put(self, key: Hashable, mark: Any, value: Any, size: int) -> None:
        """Keep a value of about so many bytes under a mark that was read before it was made."""
        if size > self.size:
            return
        with self._lock:
            old = self._kept.pop(key, None)
            if old is not None:
                self.used -= old[2]
            self._kept[key] = (mark, value, size)
            self.used += size
            while self.used > self.size:
                _, (_, _, freed) = self._kept.popitem(last=False)
                self.used -= freed
                self.evictions += 1

    def knows(self, key: Hashable) -> bool:
        """Return whether there is a value of that key, true still or not."""
        return key in self._kept
