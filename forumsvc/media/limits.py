"""Limits on uploaded images."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """What one image may cost; anything above is refused before a pixel is decoded.

    max_bytes: size of the upload in bytes.
    max_pixels: width times height times frames.
    max_frames: frames of an animation.
    max_memory: bytes for decoding and encoding, estimated from the image's header. Pillow stores
        a color pixel in 4 bytes, so 50 million pixels of a PNG or plain JPEG fit into the default.
        A progressive JPEG also keeps its coefficients (34 million pixels fit at 4:2:0, 24 million
        at 4:4:4), a WebP several canvases (15 million; 12 million if it is lossless or
        transparent; 4 million a frame if it is animated). The worker's interpreter and libraries
        need another 35 MB.
    timeout: seconds of work, of processor time as well as of wall-clock time.
    queue_timeout: seconds to wait for the images before it.
    """

    max_bytes: int = 10_000_000
    max_pixels: int = 50_000_000
    max_frames: int = 500
    max_memory: int = 240_000_000
    timeout: int = 30
    queue_timeout: int = 10
