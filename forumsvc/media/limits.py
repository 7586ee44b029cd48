"""Limits on uploaded images."""

from dataclasses import dataclass

_WORKER_BYTES = 200_000_000
_BYTES_PER_PIXEL = 16


@dataclass(frozen=True)
class Limits:
    """What one image may cost.

    max_bytes: size of the upload in bytes.
    max_pixels: width times height times frames. A JPEG may have four times as many: it is decoded
        at half its width and height.
    max_frames: frames of an animation.
    timeout: seconds of processor time. The slowest images within the other limits take about one;
        slower machines need more.
    wall_seconds: seconds by the clock, so that a busy machine refuses no image.
    queue_timeout: seconds to wait for the images before it.
    """

    max_bytes: int = 10_000_000
    max_pixels: int = 25_000_000
    max_frames: int = 500
    timeout: int = 4
    wall_seconds: int = 10
    queue_timeout: int = 10

    @property
    def max_memory(self) -> int:
        """Bytes of address space of the process that decodes, its libraries included."""
        return _WORKER_BYTES + _BYTES_PER_PIXEL * self.max_pixels
