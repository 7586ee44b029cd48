"""Makes the files of exports: what is done for a job of the kind `export`.

If the process dies, another begins the file again when the job's lock has ended; who asked for it
gets one file, and one email.
"""

from contextlib import closing
from typing import Any, BinaryIO, cast

from .. import clock
from ..db.engine import Database
from ..models import JobKind
from ..services import jobs
from ..services.accounts.data_export import write_export
from ..services.accounts.data_export_requests import LOCK, ExportFile, ExportStopped
from ..services.jobs import Claimed
from ..services.photos.storage import PhotoStorages
from .job_runner import Handler


class DataExporter(Handler):
    """Makes one file after the other."""

    kind = JobKind.EXPORT
    lock = LOCK

    def __init__(self, database: Database, storages: PhotoStorages) -> None:
        self._database = database
        self._storages = storages

    def run(self, job: Claimed) -> None:
        """Make the file of an export; begin again later if the process is to end meanwhile."""
        try:
            with closing(_StoppableFile(self._database, self._storages, job, self)) as file:
                with self._database.reads.connect() as reads:
                    write_export(reads, int(job.key), cast(BinaryIO, file), self._storages)
                file.finish(clock.now())
        except ExportStopped:
            with self._database.session.begin() as db:
                # Nothing, if the job is another's.
                jobs.release_untried(db, job, clock.now())


class _StoppableFile(ExportFile):
    """A file that is given up when the worker is to stop."""

    def __init__(
        self, database: Database, storages: PhotoStorages, job: Claimed, handler: Handler
    ) -> None:
        super().__init__(database, storages, job)
        self._handler = handler

    def write(self, data: Any) -> int:
        """Write bytes. Raises ExportStopped."""
        if self._handler.stopping.is_set():
            raise ExportStopped
        return super().write(data)
