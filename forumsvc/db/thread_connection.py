"""The read-only connection that each thread keeps."""

import time
from typing import Any, cast
from weakref import finalize

from sqlalchemy import Engine

from .connection_options import Driver
from .wrap import wrap


class ThreadConnection:
    """A thread's connection, closed when the thread ends.

    opened_at: in monotonic seconds.
    """

    def __init__(self, engine: Engine, driver_name: Driver) -> None:
        pooled = engine.raw_connection()
        self.opened_at = time.monotonic()
        self.driver = driver = cast("Any", pooled.driver_connection)
        pooled.detach()
        self.connection = wrap(engine.dialect, driver, driver_name)
        self.close = finalize(self, driver.close)
