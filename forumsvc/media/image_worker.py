"""The process that decodes one image: with limits, without secrets, and for this image only.

Called as `main([job, source, target, limits])`: job is `normalize` or `thumbnail`; source and
target are file descriptors; limits is the JSON of a Limits. Prints one JSON object: the fields of
an EncodedImage, or `refused` with the reason, or `failed` with an error number of the system.
"""

import ctypes
import dataclasses
import json
import mmap
import os
import resource
import signal
import sys

from PIL import Image

from forumsvc import cpu_affinity
from forumsvc.errors import Invalid
from forumsvc.media.limits import Limits
from forumsvc.media.reencode import EncodedImage, reencode
from forumsvc.media.thumbnails import write_thumbnail

# In addition to the image: the interpreter, the mappings of its libraries, the upload's bytes.
_OVERHEAD = 400_000_000
_PR_SET_PDEATHSIG = 1


def main(arguments: list[str]) -> None:
    """Do the job in the arguments and print its result."""
    job, source, target, limits_json = arguments
    limits = Limits(**json.loads(limits_json))
    _apply_limits(limits)
    try:
        result = dataclasses.asdict(_run_job(job, int(source), int(target), limits))
    except Invalid as refusal:
        result = {"refused": refusal.reason}
    except MemoryError:
        result = {"refused": "too large to decode: it takes more memory than is allowed"}
    except OSError as error:
        result = {"failed": error.errno, "message": str(error)}
    sys.stdout.write(json.dumps(result))


def _run_job(job: str, source: int, target: int, limits: Limits) -> EncodedImage:
    with (
        mmap.mmap(source, 0, access=mmap.ACCESS_READ) as data,
        os.fdopen(target, "r+b", closefd=False) as out,
    ):
        if job == "thumbnail":
            return write_thumbnail(data, out, limits)
        return reencode(data, out, limits)


def _apply_limits(limits: Limits) -> None:
    """Limit memory and time, end with the parent, and leave the parent's processor core."""
    room = limits.max_memory + limits.max_bytes + _OVERHEAD
    resource.setrlimit(resource.RLIMIT_AS, (room, room))
    resource.setrlimit(resource.RLIMIT_CPU, (limits.timeout, limits.timeout))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # A write beyond a file size limit is then an error to report instead of a deadly signal.
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    cpu_affinity.unpin()
    os.nice(5)
    Image.MAX_IMAGE_PIXELS = limits.max_pixels
