"""The background worker: what is done behind the requests, in a process that serves none.

`worker.BackgroundWorker` runs the tasks of `tasks.create_tasks`, each in a thread of its own and
under a lease, so that of several hosts one does the work and another takes over.
"""

from .worker import BackgroundWorker

__all__ = ["BackgroundWorker"]
