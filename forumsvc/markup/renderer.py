"""Renders Markdown to HTML: the only entry point for the rest of the service."""

import logging
import time
import weakref
from collections.abc import Callable
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

from forumsvc.errors import Unavailable
from forumsvc.markup.plain_paragraphs import render_plain
from forumsvc.markup.plain_text import escape_to_html
from forumsvc.markup.render_stats import RenderStats
from forumsvc.markup.rendered_text import RenderedText
from forumsvc.sandbox import (
    CpuLimitError,
    CrashError,
    DeadlineError,
    PoolBusyError,
    SandboxError,
    SandboxPool,
)

log = logging.getLogger(__name__)

ReportCpuTime = Callable[[float], None]
"""Called with the seconds of processor time that a text took in a worker."""


_TASK = "forumsvc.markup.render_task"
_MAX_MEMORY = 1 << 30
_ATTEMPTS = 2


class Renderer:
    """Renders texts in worker processes, plain ones in this one. Thread-safe and fork-safe.

    A text that takes more processor time than `timeout` is returned escaped. One whose worker ends,
    or that only exceeds the wall-clock time, is tried once more, for the cause may be the machine
    and not the text. If its worker ends again, it is returned escaped. stats: counts of what it has
    done.
    """

    def __init__(
        self,
        workers: int = 2,
        timeout: float = 1.0,
        site_url: str = "",
        *,
        wall_seconds: float = 10.0,
    ) -> None:
        """Prepare only: `start` or the first text starts the workers.

        workers: how many processes; 0 renders in this process, where nothing stops a slow text
        (for a separate script, never for a server). timeout: seconds of processor time for one
        text. site_url: links to other hosts than this one get a `rel`. wall_seconds: the longest
        wall-clock time of one attempt, including the wait for a worker.
        """
        self._timeout = timeout
        self._wall_seconds = max(wall_seconds, timeout)
        self._own_host = urlsplit(site_url).netloc.lower()
        self._uses_workers = workers > 0
        self._pool = SandboxPool(_TASK, workers, _MAX_MEMORY)
        self.stats = RenderStats()
        self._run_here: Callable[[dict[str, str]], dict[str, Any]] | None = None
        self._finalizer = weakref.finalize(self, self._pool.close, timeout)

    @property
    def workers(self) -> int:
        """How many workers are running."""
        return self._pool.alive

    @property
    def killed(self) -> int:
        """How many workers were killed because a text took too long or too much memory."""
        return self._pool.killed

    def start(self) -> None:
        """Before the first text: start the workers and wait until they are ready, see SandboxPool.

        Raises OSError.
        """
        if self._uses_workers:
            self._pool.start()

    def close(self) -> None:
        """Stop the workers, busy ones when they are done. A later text starts new ones."""
        self._pool.close(self._timeout)

    def render(
        self,
        text: str,
        *,
        origin: str = "no request",
        report_cpu_time: ReportCpuTime = lambda seconds: None,
    ) -> RenderedText:
        """Return the safe HTML of a Markdown text, its mentions not linked yet.

        origin: the request or job, for the log. report_cpu_time: called with the seconds of
        processor time in a worker, whatever the outcome. Raises Unavailable if the machine is too
        busy or no worker can be started.
        """
        started = time.monotonic()
        segments = render_plain(text)
        if segments is not None:
            self.stats.add(time.monotonic() - started, None)
            return RenderedText(tuple(segments))
        result: dict[str, Any] = {}
        unavailable = ""
        try:
            result = (
                self._render_with_retry(text, report_cpu_time)
                if self._uses_workers
                else self._render_in_process(text)
            )
            reason = result.get("error")
        except PoolBusyError:
            reason = unavailable = "busy"
        except DeadlineError:
            reason = unavailable = "overload"
        except CpuLimitError:
            reason = "timeout"
        except CrashError:
            reason = "crash"
        except OSError as error:
            reason = unavailable = f"unstarted: {error}"
        self.stats.add(time.monotonic() - started, reason)
        if reason is None:
            return RenderedText(tuple(result["segments"]))
        if unavailable:
            log.error("a text of %d characters is not rendered: %s (%s)", len(text), reason, origin)
            raise Unavailable("Texts cannot be rendered here at the moment; try again soon.")
        log.warning(
            "a text of %d characters is shown unrendered: %s (%s)", len(text), reason, origin
        )
        return RenderedText((escape_to_html(text),), fallback=reason)

    def _render_with_retry(self, text: str, report_cpu_time: ReportCpuTime) -> dict[str, Any]:
        """Render in a worker; in another one if the first ended or exceeded the wall-clock time."""
        for _ in range(_ATTEMPTS - 1):
            with suppress(PoolBusyError, DeadlineError, CrashError):
                return self._render_in_worker(text, report_cpu_time)
        return self._render_in_worker(text, report_cpu_time)

    def _render_in_worker(self, text: str, report_cpu_time: ReportCpuTime) -> dict[str, Any]:
        try:
            result = self._pool.run(self._job(text), self._timeout, self._wall_seconds)
        except SandboxError as error:
            report_cpu_time(error.cpu_seconds)
            raise
        report_cpu_time(result["cpu_seconds"])
        return result

    def _render_in_process(self, text: str) -> dict[str, Any]:
        from forumsvc.markup import render_task

        self._run_here = self._run_here or render_task.start()
        try:
            return self._run_here(self._job(text))
        except Exception as error:  # a hostile text may raise anything
            return {"error": type(error).__name__}

    def _job(self, text: str) -> dict[str, str]:
        return {"text": text, "own_host": self._own_host}
