"""Makes uploaded images safe.

An upload is copied to an unnamed file of limited size, and decoded and encoded again in a sandbox
process (`image_task`). The stored image is made of pixels only: it contains no EXIF, comment,
profile or trailing byte of the upload.
"""

import dataclasses
import hashlib
import logging
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any, BinaryIO, Self

from forumsvc.errors import Invalid, RateLimited
from forumsvc.media.fair_queue import FairQueue, QueueFullError
from forumsvc.media.limits import Limits
from forumsvc.sandbox import CpuLimitError, DeadlineError, SandboxError, SandboxProcess

from ..text.messages import Clause

log = logging.getLogger(__name__)

_CHUNK = 64 << 10
_TASK = "forumsvc.media.image_task"
_TYPES = {
    "PNG": ("image/png", "png"),
    "JPEG": ("image/jpeg", "jpg"),
    "GIF": ("image/gif", "gif"),
    "WEBP": ("image/webp", "webp"),
}
# One image at a time limits memory; a short queue leaves most threads to other requests.
_QUEUE = FairQueue(4)

_NOBODY = object()
"""Who shrinks stored photos: all of that is one turn, so whoever uploads comes before it."""

ReportCpuTime = Callable[[float], None]
"""Takes seconds of processor time."""


@dataclass(frozen=True)
class Uploader:
    """Whose image it is.

    user_id: who shares the queue fairly with others. acquire: reserves the user's budget of
    processor time while the image is processed; raises RateLimited if it is used up.
    """

    user_id: int
    acquire: Callable[[int], AbstractContextManager[ReportCpuTime]]


@dataclass
class ProcessedImage:
    """An image ready to be stored; a context manager that closes its file.

    file: the bytes, at their start. format: PNG, JPEG, GIF or WEBP. width, height: pixels.
    frames: more than 1 for an animation. size: bytes. digest: SHA-256, hexadecimal.
    """

    file: BinaryIO
    format: str
    width: int
    height: int
    frames: int
    size: int
    digest: str

    @property
    def media_type(self) -> str:
        """The media type, such as `image/png`."""
        return _TYPES[self.format][0]

    @property
    def name(self) -> str:
        """The content-addressed file name: `ab/ab12….png`."""
        return f"{self.digest[:2]}/{self.digest}.{_TYPES[self.format][1]}"

    def close(self) -> None:
        """Close the file, which deletes it."""
        self.file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def normalize(
    source: BinaryIO, limits: Limits | None = None, uploader: Uploader | None = None
) -> ProcessedImage:
    """Return an uploaded image, re-encoded.

    source: the upload, read from its current position to its end. limits: what it may cost.
    uploader: who pays for it; None for nobody.
    The same pixels give the same bytes, digest and name. The orientation is applied, colors are
    converted to sRGB, GIF and WebP stay animated; of an animated PNG the default image is used.

    Raises Invalid("file", reason) if the image is refused, RateLimited if too many images are
    queued or the uploader's budget is used up, OSError if a temporary file cannot be written.
    """
    return _process("normalize", source, limits or Limits(), uploader)


def thumbnail(
    source: BinaryIO, limits: Limits | None = None, uploader: Uploader | None = None
) -> ProcessedImage:
    """Return the middle square of an image's first frame, 240 x 240 pixels, as JPEG or PNG.

    Has the same arguments and exceptions as `normalize`.
    """
    return _process("thumbnail", source, limits or Limits(), uploader)


def shrink(
    source: BinaryIO, limits: Limits | None = None, uploader: Uploader | None = None
) -> ProcessedImage:
    """Return an image's first frame, at most 480 pixels wide, as JPEG or PNG.

    Has the same arguments and exceptions as `normalize`.
    """
    return _process("shrink", source, limits or Limits(), uploader)


def _process(
    job: str, source: BinaryIO, limits: Limits, uploader: Uploader | None
) -> ProcessedImage:
    with tempfile.TemporaryFile() as upload:
        _copy_upload(source, upload, limits.max_bytes)
        target: BinaryIO = tempfile.TemporaryFile()  # noqa: SIM115
        try:
            with _turn(limits, uploader) as report_cpu_time:
                properties = _run_worker(job, upload, target, limits, report_cpu_time)
            size = os.fstat(target.fileno()).st_size
            target.seek(0)
            digest = _sha256(target)
            target.seek(0)
            return ProcessedImage(target, **properties, size=size, digest=digest)
        except BaseException:
            target.close()
            raise


def _copy_upload(source: BinaryIO, upload: BinaryIO, max_bytes: int) -> None:
    """Copy the upload in chunks, up to the size limit."""
    total = 0
    while chunk := source.read(_CHUNK):
        total += len(chunk)
        if total > max_bytes:
            raise Invalid(
                "file",
                Clause("too large: at most %(most)s bytes are allowed", most=f"{max_bytes:,}"),
            )
        upload.write(chunk)
    if total == 0:
        raise Invalid("file", Clause("the file is empty"))
    upload.flush()


@contextmanager
def _turn(limits: Limits, uploader: Uploader | None) -> Iterator[ReportCpuTime]:
    """Wait for the turn of an image, and hold it and the uploader's budget.

    Raises RateLimited if the queue is full or too slow, or the budget is used up.
    """
    with ExitStack() as held:
        try:
            held.enter_context(
                _QUEUE.turn(uploader.user_id if uploader else _NOBODY, limits.queue_timeout)
            )
        except QueueFullError:
            raise RateLimited(
                "Too many images are being uploaded at once.", max(1, limits.queue_timeout)
            ) from None
        # Only one image is processed at a time, so the budget is never busy here.
        if uploader is None:
            yield lambda seconds: None
        else:
            yield held.enter_context(uploader.acquire(uploader.user_id))


def _refusal(error: SandboxError, limits: Limits) -> Invalid:
    """Return the error of an image that has no result."""
    if isinstance(error, CpuLimitError | DeadlineError):
        seconds = limits.timeout if isinstance(error, CpuLimitError) else limits.wall_seconds
        reason = Clause(
            "too large to decode: it takes more than %(seconds)s seconds", seconds=seconds
        )
        return Invalid("file", reason)
    log.warning("an image ended its worker")
    return Invalid("file", Clause("broken: the image stops its decoder"))


def _run_worker(
    job: str,
    upload: BinaryIO,
    target: BinaryIO,
    limits: Limits,
    report_cpu_time: ReportCpuTime,
) -> dict[str, Any]:
    """Run the job in a process for this image alone; return the fields of its EncodedImage."""
    files = upload.fileno(), target.fileno()
    message = {
        "name": job,
        "source": files[0],
        "target": files[1],
        "limits": dataclasses.asdict(limits),
    }
    with SandboxProcess(_TASK, limits.max_memory, files) as worker:
        worker.wait_until_ready()
        deadline = time.monotonic() + limits.wall_seconds
        try:
            worker.send(message, limits.timeout, deadline)
            result = worker.receive(deadline)
            report_cpu_time(result["cpu_seconds"])
        except SandboxError as error:
            report_cpu_time(error.cpu_seconds)
            raise _refusal(error, limits) from None
    if "refused" in result:
        raise Invalid("file", Clause(result["refused"]))
    if "failed" in result:
        raise OSError(result["failed"], result["message"])
    if "error" in result:
        log.warning("an image cannot be encoded: %s", result["error"])
        raise Invalid("file", Clause("broken: the image cannot be encoded"))
    return {name: result[name] for name in ("format", "width", "height", "frames")}


def _sha256(file: BinaryIO) -> str:
    digest = hashlib.sha256()
    while chunk := file.read(_CHUNK):
        digest.update(chunk)
    return digest.hexdigest()
