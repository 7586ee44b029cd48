"""Statistics of a renderer since its process started."""

from collections import Counter
from threading import Lock

_ALWAYS_REPORTED = ("busy", "overload", "timeout", "crash", "unstarted")
"""Reasons that are reported from the start, with a count of 0, so that an increase can be seen."""


class RenderStats:
    """Counts of texts. Thread-safe.

    rendered: all texts, including those that were only escaped; seconds: their total time;
    fallbacks: how many were only escaped, by reason.
    """

    def __init__(self) -> None:
        self.rendered = 0
        self.seconds = 0.0
        self.fallbacks = Counter(dict.fromkeys(_ALWAYS_REPORTED, 0))
        self._lock = Lock()

    def add(self, seconds: float, reason: str | None) -> None:
        """Count a text. reason: why it was only escaped, or None."""
        with self._lock:
            self.rendered += 1
            self.seconds += seconds
            if reason is not None:
                # After the colon stands the system's own message.
                self.fallbacks[reason.partition(":")[0]] += 1
