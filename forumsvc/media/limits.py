"""How much of a picture is taken."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """What one picture may cost; whatever is above is refused before a pixel is decoded.

    max_bytes: size of the upload, bytes.
    max_pixels: width times height times frames.
    max_frames: frames of an animation.
    max_memory: bytes that decoding and encoding may hold, reckoned from the picture's header.
        Pillow keeps a color pixel in 4 bytes, so 50 million of a PNG or plain JPEG fit into the
        default. A progressive JPEG keeps its coefficients beside them (34 million pixels fit at
        4:2:0, 24 million at 4:4:4), a WebP several canvases (15 million; 12 million where it is
        lossless or transparent; 4 million a frame where it moves). The worker's interpreter and
        libraries come on top, 35 MB.
    timeout: seconds of work, of processor time as well as by the clock.
    queue_timeout: seconds to wait for the pictures that came before.
    """

    max_bytes: int = 10_000_000
    max_pixels: int = 50_000_000
    max_frames: int = 500
    max_memory: int = 240_000_000
    timeout: int = 30
    queue_timeout: int = 10
