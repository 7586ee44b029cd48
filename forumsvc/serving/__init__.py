"""The server of `[server:main]`: waitress in one process or several, each pinned to a core.

Its keys stand in `docs/operators/configure.md`. Time limits are checked every `cleanup_interval`.
If an address or the process has reached its limit of connections, those that wait longest for their
client are closed; never one whose request is being answered.

What an application must know:

- It is created once, before the fork. Threads, pools and child processes must start with the first
  request, or in `on_worker_start`; what is open at the fork nevertheless (database connections)
  must be dropped in each worker by `os.register_at_fork(after_in_child=…)`. There is no other
  registry for this, so that an application needs to know nothing of its server and works under any
  other that forks.
- Its attribute `error_body`, if it has one, returns the JSON body of errors that the server
  itself answers, from a status and a message; without it that is `{"error": message}`.
- Its attribute `error_headers`, if it has one, is a list of headers that these answers have, as
  pairs.
- Its attribute `body_error`, if it has one, returns the status and message by which a body will be
  refused, or None, from the request's headers (`CONTENT_LENGTH`, …): a client that expects
  `100 Continue` gets it at once.
- Its attribute `on_worker_start`, if it has one, is called in each worker before it takes a
  connection; under a reload the former workers serve meanwhile. An OSError is logged.
- Its attribute `background`, if it has one, is its background work: a `background.Background`. The
  server starts it in a process that serves no requests.
- `FORUMSVC_WORKER` in the environment (set before the fork) and `processName` (`worker-1` …)
  in the log records identify the worker.
- Child processes inherit the core of a pinned process. A child with work of its own can return to
  the cores in `FORUMSVC_CORES` (`0,1`).
- SIGTERM ends a process through `atexit`, after its last request.
- SIGHUP replaces all processes by new ones, with new code and settings, on the same sockets
  (`reload`). At a terminal, and without a parent (one process and `worker = false`), it ends them.
- systemd's sockets (`LISTEN_FDS`) are used in place of `listen`.
"""

import atexit
import logging
from collections.abc import Callable
from functools import partial
from typing import Any

import hupper  # type: ignore[import-untyped]

from forumsvc.serving import core_pinning, listen_sockets, reload, signals
from forumsvc.serving.background import run_until_signal
from forumsvc.serving.file_limit import raise_file_limit
from forumsvc.serving.heartbeat import Heartbeats
from forumsvc.serving.options import Options
from forumsvc.serving.supervisor import BACKGROUND, Ended, Supervisor
from forumsvc.serving.worker import serve

__all__ = ["server_factory"]

log = logging.getLogger(__name__)


def server_factory(global_conf: object, **keys: str) -> Callable[[Any], None]:
    """Create the server of an ini file's section (a `paste.server_factory`).

    keys: the section's.
    Returns a function that serves a WSGI application until a signal ends it.
    Raises SystemExit with a message of one line that names the key or the address, if a value is
    wrong or the address cannot be bound.
    """
    has_served = False
    has_ended: Ended | None = None

    def at_end() -> None:
        if has_ended is Ended.FOR_RELOAD:
            reload.execute()
        elif has_served:
            log.info("Stopped")

    # Handlers run last to first, and the application, made after this, has handlers of its own.
    atexit.register(at_end)
    options = Options.from_section(keys)
    sockets = [] if reload.is_trial() else listen_sockets.bind(options)

    def run(app: Any) -> None:
        nonlocal has_served, has_ended
        if reload.is_trial():
            return
        has_served = True
        signals.block()
        raise_file_limit()
        listen_sockets.listen(sockets, options.backlog)
        allowed = core_pinning.export_available_cores()
        heartbeats = Heartbeats(options.processes)
        background = getattr(app, "background", None)
        if background is not None and not options.worker:
            background.log_if_nobody_works()
            background = None
        number = 1
        beside = background if hupper.is_active() else None
        if beside is not None:
            beside.start()  # hupper knows only this process
            background = None
        supervised = background is not None or options.processes > 1
        if supervised:
            with_background = background is not None
            parent = Supervisor(options, sockets, heartbeats, with_background=with_background)
            result = parent.run()
            if isinstance(result, Ended):
                has_ended = result
                return
            number = result
        if background is not None and number == BACKGROUND:
            for bound in sockets:
                bound.close()
            beat = partial(heartbeats.beat, BACKGROUND, progress=True)
            run_until_signal(background, options.graceful_timeout, beat)
        else:
            if options.pin:
                core_pinning.pin_to_core(number, allowed)
            serve(app, sockets, options, number, heartbeats, supervised=supervised)
        if beside is not None:
            beside.stop()

    return run
