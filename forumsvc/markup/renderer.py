"""The one function behind which Markdown becomes HTML."""

import logging
import time
import weakref
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from forumsvc.markup.draft import Draft
from forumsvc.markup.plain_text import escaped
from forumsvc.markup.pool import BusyError, Pool
from forumsvc.markup.tally import Tally
from forumsvc.markup.worker_process import WorkerDiedError, WorkerTimeoutError

if TYPE_CHECKING:
    from forumsvc.markup.pipeline import Pipeline

log = logging.getLogger(__name__)

_LONG = 0.05
"""The part of the time a text may take after which nobody waits behind it any more."""


class Renderer:
    """Renders texts in worker processes; safe to share between threads and to carry over a fork.

    A text that takes longer than `timeout`, or that crashes its worker, comes back escaped.
    tally: what it has done.
    """

    def __init__(self, workers: int = 2, timeout: float = 1.0, site_url: str = "") -> None:
        """Start nothing yet: the first text starts the workers.

        workers: how many processes; 0 renders in this process, where nothing stops a slow text
        (for a script of its own, never for a server). timeout: seconds a text may take.
        site_url: links to other hosts than its host are marked as foreign.
        """
        self._timeout = timeout
        self._own_host = urlsplit(site_url).netloc.lower()
        self._in_workers = workers > 0
        self._pool = Pool(workers)
        self.tally = Tally()
        self._pipeline: Pipeline | None = None
        self._finalizer = weakref.finalize(self, self._pool.close, timeout)

    @property
    def workers(self) -> int:
        """How many workers run."""
        return self._pool.alive

    @property
    def killed(self) -> int:
        """How many workers were killed because a text took too long, or was too much for them."""
        return self._pool.killed

    def close(self) -> None:
        """End the workers, those at work when they are done. A later text starts new ones."""
        self._pool.close(self._timeout)

    def render(self, text: str) -> Draft:
        """Return the safe HTML of a Markdown text, its mentions not linked yet. Never raises."""
        began = time.monotonic()
        try:
            answer = self._ask(text) if self._in_workers else self._render_here(text)
            reason = answer.get("error")
        except BusyError:
            reason = "busy"
        except WorkerTimeoutError:
            reason = "timeout"
        except WorkerDiedError:
            reason = "crash"
        except OSError as error:
            reason = f"unstarted: {error}"
        self.tally.add(time.monotonic() - began, reason)
        if reason is None:
            return Draft(tuple(answer["parts"]))
        log.warning("a text of %d characters is shown unrendered: %s", len(text), reason)
        return Draft((escaped(text),), fallback=reason)

    def _ask(self, text: str) -> dict[str, Any]:
        self._pool.start()  # may take long, once, and is no part of the text's time
        deadline = time.monotonic() + self._timeout
        job = {"text": text, "own_host": self._own_host, "limit": 2 * self._timeout}
        with self._pool.lend(deadline) as worker:
            worker.ask(job, deadline)
            try:
                return worker.answer(min(deadline, time.monotonic() + _LONG * self._timeout))
            except WorkerTimeoutError:
                self._pool.set_aside(worker)
                return worker.answer(deadline)

    def _render_here(self, text: str) -> dict[str, Any]:
        from forumsvc.markup.pipeline import Pipeline

        pipeline = self._pipeline or Pipeline()
        self._pipeline = None
        try:
            answer = {"parts": pipeline.render(text, self._own_host)}
        except Exception as error:  # whatever a hostile text brings about is its answer
            return {"error": type(error).__name__}
        self._pipeline = pipeline
        return answer
