"""The server of `[server:main]`: waitress in one process or several, each on a core of its own.

Beside all of waitress's keys the section takes

- `processes`: how many serve the one address; `auto` is one a core (default 1; under `--reload` 1);
- `pin`: whether each stays on one core, where the system lets it (default true);
- `graceful_timeout`: seconds that requests under way get to finish after SIGTERM (default 30);
- `worker_timeout_seconds`: a worker whose main loop stands still, or all of whose threads work on
  the same requests for as long, hangs and is replaced (default 90; 0 is never). It takes two
  processes or more: one alone has nobody to replace it;
- `header_timeout_seconds` (default 20): for a request's header, from its first byte;
- `body_timeout_seconds` (20) and `response_timeout_seconds` (30): for a body and for an answer that
  the client takes, plus what they need at `min_bytes_per_second` (8000). 0 is no limit;
- `connections_per_address`: the most from one IPv4 address or IPv6 /64 in each process (default
  100; 0 is no limit); the trusted proxy and Unix sockets are not limited.

The time limits are checked every `cleanup_interval`. Between two requests `channel_timeout` holds.
Where an address or the process (`connection_limit`) has its most connections, those that wait for
their client longest are closed to make room; none whose request is being answered.

What an application must know of it:

- It is made once, before the fork. Threads, pools and child processes are to start with the first
  request; what is open at the fork nevertheless (database connections) is dropped in each worker by
  `os.register_at_fork(after_in_child=…)`. There is no registry here beside that one: an application
  that uses it need not know its server, and is right under any other that forks.
- Its attribute `failure_body`, if it has one, makes the JSON of what the server refuses by itself,
  of a status and a message; without one that is `{"error": message}`.
- `FORUMSVC_WORKER` in the environment (there at the fork already) and `processName` (`worker-1` …)
  in the log records tell which worker it is.
- A pinned process hands its core down to its children. One that computes on its own puts itself
  back on those in `FORUMSVC_CORES` (`0,1`).
- SIGTERM ends a process by way of `atexit`, after its last request.
"""

import atexit
import logging
from collections.abc import Callable
from typing import Any

from forumsvc.serving import core_pinning, listen_sockets, signals
from forumsvc.serving.connection_balancer import Shares
from forumsvc.serving.heartbeat import Heartbeats
from forumsvc.serving.options import Options
from forumsvc.serving.supervisor import supervise
from forumsvc.serving.worker import serve

__all__ = ["server_factory"]

log = logging.getLogger(__name__)


def server_factory(global_conf: object, **keys: str) -> Callable[[Any], None]:
    """Make the server of an ini file's section (a `paste.server_factory`).

    keys: the section's.
    Returns a function that serves a WSGI application until a signal ends it.
    Raises SystemExit, with one line that names the key or the address, where a value is wrong or
    the address cannot be had.
    """
    has_served = False

    def log_end() -> None:
        if has_served:
            log.info("Stopped")

    # Handlers run last to first, and the application, made after this, has handlers of its own.
    atexit.register(log_end)
    options = Options.of_section(keys)
    sockets = listen_sockets.bind(options)

    def run(app: Any) -> None:
        nonlocal has_served
        has_served = True
        signals.hold()
        listen_sockets.listen(sockets, options.backlog)
        allowed = core_pinning.remember()
        shares = Shares(options.processes)
        heartbeats = Heartbeats(options.processes)
        number: int | None = 1
        if options.processes > 1:
            number = supervise(options, sockets, shares, heartbeats)
        if number is not None:
            if options.pin:
                core_pinning.pin_to_core(number, allowed)
            serve(app, sockets, options, number, shares, heartbeats)

    return run
