"""The server of `[server:main]`: waitress in one process or several, each on a core of its own.

Beside all of waitress's keys the section takes

- `processes`: how many serve the one address; `auto` is one a core (default 1; under `--reload` 1);
- `pin`: whether each stays on one core, where the system lets it (default true);
- `graceful_timeout`: seconds that requests under way get to finish after SIGTERM (default 30).

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

from collections.abc import Callable
from typing import Any

from forumsvc.serving import addresses, cores, signals
from forumsvc.serving.options import Options
from forumsvc.serving.shares import Shares
from forumsvc.serving.supervisor import supervise
from forumsvc.serving.worker import serve

__all__ = ["server_factory"]


def server_factory(global_conf: object, **keys: str) -> Callable[[Any], None]:
    """Make the server of an ini file's section (a `paste.server_factory`).

    keys: the section's.
    Returns a function that serves a WSGI application until a signal ends it.
    Raises SystemExit, with one line that names the key or the address, where a value is wrong or
    the address cannot be had.
    """
    options = Options.of_section(keys)
    sockets = addresses.bind(options)

    def run(app: Any) -> None:
        signals.hold()
        addresses.listen(sockets, options.backlog)
        allowed = cores.remember()
        shares = Shares(options.processes)
        number: int | None = 1
        if options.processes > 1:
            number = supervise(options.processes, sockets, options.graceful_timeout, shares)
        if number is not None:
            if options.pin:
                cores.pin(number, allowed)
            serve(app, sockets, options, number, shares)

    return run
