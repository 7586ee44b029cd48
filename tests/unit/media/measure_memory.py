"""A program. `make NAME` writes a large image to standard output. `normalize` and `thumbnail` read
one from standard input and print the peak memory of their worker process and of themselves, in
bytes, and the properties of the result.

They are separate programs, and their own peak does not come from getrusage, because a process
inherits the peak of its parent there.
"""

import resource
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from forumsvc.media.images import normalize, thumbnail
from forumsvc.media.limits import Limits
from tests.unit.media.decompression_bombs import large, noise
from tests.unit.media.sample_images import encoded, exif, profile


def _webp(mode: str, size: tuple[int, int], **options: Any) -> bytes:
    return encoded(noise(mode, size), "WEBP", method=0, **options)


def _animation(kind: str, mode: str, size: tuple[int, int], frames: int, **options: Any) -> bytes:
    first, *rest = [noise(mode, size) for _ in range(frames)]
    return encoded(first, kind, save_all=True, append_images=rest, duration=50, **options)


IMAGES: dict[str, Callable[[], bytes]] = {
    "PNG RGBA sideways": lambda: large("PNG", "RGBA", (5000, 5000), compress_level=1, exif=exif(6)),
    "PNG profile": lambda: large("PNG", "RGBA", (5000, 5000), icc_profile=profile("RGB")),
    "JPEG sideways": lambda: large("JPEG", "RGB", (5000, 5000), exif=exif(8)),
    "JPEG progressive 50": lambda: large(
        "JPEG", "RGB", (7071, 7071), progressive=True, subsampling=2
    ),
    "JPEG progressive 100": lambda: large(
        "JPEG", "RGB", (10000, 10000), progressive=True, subsampling=2
    ),
    "GIF animated": lambda: _animation("GIF", "L", (1000, 1000), 12),
    "GIF animated colors": lambda: _animation("GIF", "RGB", (1000, 1000), 24),
    "WEBP lossy alpha 25": lambda: large("WEBP", "RGBA", (5000, 5000), method=0),
    "WEBP lossless 4": lambda: _webp("RGBA", (2000, 2000), lossless=True, quality=0),
    "WEBP animated": lambda: _animation("WEBP", "RGBA", (2000, 2000), 3, method=0, quality=10),
}


def main(job: str, name: str = "") -> None:
    if job == "make":
        sys.stdout.buffer.write(IMAGES[name]())
        return
    limits = Limits(max_bytes=60_000_000, timeout=300, wall_seconds=300)
    with {"normalize": normalize, "thumbnail": thumbnail}[job](sys.stdin.buffer, limits) as made:
        worker = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
        print(worker, _own_peak(), made.format, made.width, made.height)  # noqa: T201


def _own_peak() -> int:
    """Return VmHWM, the peak of resident memory of this program, in bytes (proc(5))."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.split("VmHWM:")[1].split()[0]) * 1024


if __name__ == "__main__":
    main(*sys.argv[1:])
