"""The background worker: what is done behind the requests, in a process that serves none.

All work is a job, a row of the table `jobs`: `job_runner.JobRunner` claims those that are due, and
each kind has a `Handler`, of `tasks.create_job_runner`. Periodic work is declared in `maintenance`.
"""

from .worker import BackgroundWorker

__all__ = ["BackgroundWorker"]
