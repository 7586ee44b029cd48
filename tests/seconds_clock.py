"""A clock that a test sets."""


class SecondsClock:
    """In place of the module `time`. now: what it tells, in seconds."""

    def __init__(self, now: float = 1_000.0) -> None:
        self.now = now

    def time(self) -> float:
        """Return the seconds."""
        return self.now

    monotonic = time
