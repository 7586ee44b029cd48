"""Makes uploaded images safe.

An upload is copied to an unnamed file of limited size, its structure is checked, and it is decoded
and encoded again in a separate process (`image_worker`). The stored image is made of pixels only:
it contains no EXIF, comment, profile or trailing byte of the upload.
"""

import dataclasses
import hashlib
import json
import logging
import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, BinaryIO, Self

from forumsvc.cpu_affinity import CORES
from forumsvc.errors import Invalid, RateLimited
from forumsvc.media.limits import Limits

log = logging.getLogger(__name__)

_CHUNK = 64 << 10
_WORKER_PROGRAM = "import sys; from forumsvc.media.image_worker import main; main(sys.argv[1:])"
_TYPES = {
    "PNG": ("image/png", "png"),
    "JPEG": ("image/jpeg", "jpg"),
    "GIF": ("image/gif", "gif"),
    "WEBP": ("image/webp", "webp"),
}
# One image at a time limits memory; a short queue leaves most threads to other requests.
_RUNNING = threading.BoundedSemaphore(1)
_QUEUED = threading.BoundedSemaphore(4)
_TIME_SIGNALS = {-signal.SIGXCPU, -signal.SIGKILL}


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


def normalize(source: BinaryIO, limits: Limits | None = None) -> ProcessedImage:
    """Return an uploaded image, re-encoded.

    source: the upload, read from its current position to its end. limits: what it may cost.
    The same pixels give the same bytes, digest and name. The orientation is applied, colors are
    converted to sRGB, GIF and WebP stay animated; of an animated PNG the default image is used.

    Raises Invalid("file", reason) if the image is refused, RateLimited if too many images are
    queued, OSError if a temporary file cannot be written.
    """
    return _process("normalize", source, limits or Limits())


def thumbnail(source: BinaryIO, limits: Limits | None = None) -> ProcessedImage:
    """Return the middle square of an image's first frame, 240 x 240 pixels, as JPEG or PNG.

    Has the same arguments and exceptions as `normalize`.
    """
    return _process("thumbnail", source, limits or Limits())


def _process(job: str, source: BinaryIO, limits: Limits) -> ProcessedImage:
    with tempfile.TemporaryFile() as upload:
        _copy_upload(source, upload, limits.max_bytes)
        target: BinaryIO = tempfile.TemporaryFile()  # noqa: SIM115
        try:
            with _worker_slot(limits):
                properties = _run_worker(job, upload, target, limits)
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
            raise Invalid("file", f"too large: at most {max_bytes:,} bytes are allowed")
        upload.write(chunk)
    if total == 0:
        raise Invalid("file", "the file is empty")
    upload.flush()


@contextmanager
def _worker_slot(limits: Limits) -> Iterator[None]:
    """Wait for a worker slot and hold it; raise RateLimited if the queue is full or too slow."""
    busy = RateLimited(
        "Too many pictures are being uploaded at once.", max(1, limits.queue_timeout)
    )
    if not _QUEUED.acquire(blocking=False):
        raise busy
    try:
        if not _RUNNING.acquire(timeout=limits.queue_timeout):
            raise busy
        try:
            yield
        finally:
            _RUNNING.release()
    finally:
        _QUEUED.release()


def _run_worker(job: str, upload: BinaryIO, target: BinaryIO, limits: Limits) -> dict[str, Any]:
    """Run the job in a worker process; return the fields of its EncodedImage."""
    descriptors = upload.fileno(), target.fileno()
    limits_json = json.dumps(dataclasses.asdict(limits))
    command = [sys.executable, "-c", _WORKER_PROGRAM, job, *map(str, descriptors), limits_json]
    # Only what it needs: an exploited decoder finds no secret in its environment.
    environment = {
        "PYTHONPATH": os.pathsep.join(path or os.getcwd() for path in sys.path),
        "TMPDIR": tempfile.gettempdir(),
        CORES: os.environ.get(CORES, ""),
    }
    try:
        finished = subprocess.run(  # noqa: S603
            command,
            pass_fds=descriptors,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=limits.timeout,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise Invalid("file", _timeout_reason(limits)) from None
    if finished.returncode < 0:
        log.warning("an image ended its worker with signal %d", -finished.returncode)
        if finished.returncode in _TIME_SIGNALS:
            raise Invalid("file", _timeout_reason(limits))
        raise Invalid("file", "broken: the picture stops its decoder")
    if finished.returncode > 0:
        raise RuntimeError(f"the image worker failed: {finished.stderr.decode(errors='replace')}")
    result = json.loads(finished.stdout)
    if "refused" in result:
        raise Invalid("file", result["refused"])
    if "failed" in result:
        raise OSError(result["failed"], result["message"])
    return result


def _sha256(file: BinaryIO) -> str:
    digest = hashlib.sha256()
    while chunk := file.read(_CHUNK):
        digest.update(chunk)
    return digest.hexdigest()


def _timeout_reason(limits: Limits) -> str:
    return f"too large to decode: it takes more than {limits.timeout} seconds"
