"""The task that renders texts again after an upgrade that brought a new version of the renderer."""

import time
from dataclasses import replace

from ..db.engine import Database
from ..errors import Unavailable
from ..markup import Renderer
from ..services.content.authoring import Authoring
from ..services.content.rerendering import Rerendering
from ..settings import Settings

_EVERY_SECONDS = 600.0
_BUSY_SECONDS = 60.0


class Rerenderer:
    """Renders the texts of older versions, a few at a time, in one process of its own.

    Where it is stopped, another run continues: the version of each text is stored beside it. Texts
    of newer versions are left alone: hosts may be upgraded one after another.
    """

    name = "rerendering"

    def __init__(self, database: Database, authoring: Authoring, settings: Settings) -> None:
        """authoring: the service's, of which the rules of links are used."""
        self.interval = settings["worker.interval_seconds"]
        self._renderer = Renderer(
            1,
            settings["markup.timeout"],
            settings["site.url"],
            wall_seconds=settings["markup.wall_seconds"],
        )
        own = replace(authoring, renderer=self._renderer)
        self._rerendering = Rerendering(database, own, 1)
        self._due_at = 0.0

    def run(self) -> bool:
        """Render a few texts, if it is due; return whether there may be more."""
        if time.monotonic() < self._due_at:
            return False
        pause = _EVERY_SECONDS
        try:
            if self._rerendering.run_batch():
                return True
        except Unavailable:  # the renderer has logged why
            pause = _BUSY_SECONDS
        self._due_at = time.monotonic() + pause
        self._renderer.close()
        return False

    def close(self) -> None:
        """End the process that renders."""
        self._renderer.close()
