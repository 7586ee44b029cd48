"""The task of the sandbox process that decodes one image, see `forumsvc.sandbox`.

A job is `{"name": …, "source": …, "target": …, "limits": {…}}`: the name is one of `_JOBS`, source
and target are file descriptors, limits the fields of Limits. Its result has the fields of an
EncodedImage, or `refused` with the reason, or `failed` with an error number of the system.
"""

import dataclasses
import os
from collections.abc import Callable
from typing import Any

from forumsvc.errors import Invalid
from forumsvc.media.encode import reencode
from forumsvc.media.limits import Limits
from forumsvc.media.thumbnails import write_small, write_thumbnail

_JOBS = {"normalize": reencode, "thumbnail": write_thumbnail, "shrink": write_small}


def start() -> Callable[[dict[str, Any]], dict[str, Any]]:
    """Let other processes go first; return the function that processes an image."""
    os.nice(5)
    return process


def process(job: dict[str, Any]) -> dict[str, Any]:
    """Return the result of a job."""
    try:
        with (
            os.fdopen(job["source"], "rb", closefd=False) as source,
            os.fdopen(job["target"], "wb", closefd=False) as target,
        ):
            source.seek(0)
            return dataclasses.asdict(_JOBS[job["name"]](source, target, Limits(**job["limits"])))
    except Invalid as refusal:
        return {"refused": refusal.reason}
    except MemoryError:
        return {"refused": "too large to decode: it takes more memory than is allowed"}
    except OSError as error:
        return {"failed": error.errno, "message": str(error)}
