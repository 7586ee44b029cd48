"""What a renderer has done since its process began."""

from collections import Counter
from threading import Lock

_ALWAYS_REPORTED = ("busy", "overload", "timeout", "crash", "unstarted")
"""Reasons that are told before their first time, too, so that it can be seen to happen."""


class RenderStats:
    """Counts of texts. Safe between threads.

    rendered: how many, those included that came back escaped; seconds: how long that took
    altogether; fallbacks: how many came back escaped, by reason.
    """

    def __init__(self) -> None:
        self.rendered = 0
        self.seconds = 0.0
        self.fallbacks = Counter(dict.fromkeys(_ALWAYS_REPORTED, 0))
        self._lock = Lock()

    def add(self, seconds: float, reason: str | None) -> None:
        """Count a text. reason: why it came back escaped, None if it did not."""
        with self._lock:
            self.rendered += 1
            self.seconds += seconds
            if reason is not None:
                # What follows the colon is the system's own words.
                self.fallbacks[reason.partition(":")[0]] += 1
