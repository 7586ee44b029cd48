"""The process that workers are forked from: it loads the Markdown libraries once for all of them.

A forked worker starts within milliseconds and shares memory with the others until it writes to it.
Standard input is a socket. After a first reply, 0, which reports that it is ready, the process
reads one number at a time and replies with another:

0, with a socket attached: a worker is forked that serves that socket; the reply is its process
id, or the negative error number of the system.
The process id of a worker: that worker is killed; the reply, 0, means that it is gone.

At the end of its input the process kills its workers and exits.
"""

import gc
import os
import resource
import signal
import socket
import sys
from contextlib import suppress

from forumsvc import cpu_affinity
from forumsvc.markup import render_worker
from forumsvc.markup.fork_server_process import NUMBER
from forumsvc.markup.pipeline import Pipeline

_MAX_ADDRESS_SPACE = 1 << 30
_WARM_UP = """\
# *a* **b** `c` ~~d~~ @ann #1 :smile: <https://a.org> [e](f)

- [ ] g

> h

```python
i
```
"""
"""Rendered before the first fork, so that the libraries finish their lazy initialization."""


class ForkServer:
    """Forks workers and kills them on request."""

    def __init__(self, control: socket.socket) -> None:
        self._control = control
        self._pipeline = Pipeline()
        self._workers: set[int] = set()

    def serve(self) -> None:
        """Serve requests until the end of the input."""
        self._pipeline.render(_WARM_UP, "")
        gc.collect()
        gc.freeze()
        self._control.sendall(NUMBER.pack(0))
        while True:
            request, descriptors, *_ = socket.recv_fds(self._control, NUMBER.size, 1)
            if len(request) < NUMBER.size:
                break
            pid = NUMBER.unpack(request)[0]
            reply = self._kill(pid) if pid else self._fork(descriptors[0])
            self._control.sendall(NUMBER.pack(reply))
        for pid in list(self._workers):
            self._kill(pid)

    def _fork(self, descriptor: int) -> int:
        try:
            pid = os.fork()
        except OSError as error:
            os.close(descriptor)
            return -(error.errno or 1)
        if pid == 0:
            self._run_worker(socket.socket(fileno=descriptor))
        os.close(descriptor)
        self._workers.add(pid)
        return pid

    def _run_worker(self, connection: socket.socket) -> None:
        status = 1
        try:
            self._control.close()
            render_worker.serve(connection, self._pipeline)
            status = 0
        finally:
            os._exit(status)

    def _kill(self, pid: int) -> int:
        if pid in self._workers:
            self._workers.remove(pid)
            os.kill(pid, signal.SIGKILL)  # only this code reaps it, so the id is still its own
            os.waitpid(pid, 0)
        return 0


def main() -> None:
    """Serve standard input. The terminal's interrupt is handled by the parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_AS, (_MAX_ADDRESS_SPACE, _MAX_ADDRESS_SPACE))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    cpu_affinity.unpin()
    with socket.socket(fileno=sys.stdin.fileno()) as control, suppress(ConnectionError):
        ForkServer(control).serve()


if __name__ == "__main__":
    main()
