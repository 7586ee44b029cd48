"""The header of an image: what is known before it is decoded."""

import mmap
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NoReturn

from forumsvc.errors import Invalid
from forumsvc.media.limits import Limits

Data = bytes | mmap.mmap


def refuse(reason: str) -> NoReturn:
    """Raise Invalid for the upload with this reason."""
    raise Invalid("file", reason)


def refuse_truncated(what: str) -> NoReturn:
    """Refuse a truncated file; `what` says where it ends."""
    refuse(f"truncated: {what}")


@dataclass
class ImageHeader:
    """An image's header, and the parts of the file that the decoder gets.

    format: PNG, JPEG, GIF or WEBP. width, height: pixels, as stored, before orientation.
    frames: the number of frames. memory: an estimate of the bytes that decoding needs.
    image_data: byte strings and (start, end) ranges of the source that form the image without
    metadata.
    icc, exif: the color profile and the EXIF block, which are applied and then dropped.
    lossless: whether a WebP was encoded without loss.
    """

    format: str
    width: int
    height: int
    memory: int
    frames: int = 1
    image_data: list[bytes | tuple[int, int]] = field(default_factory=list)
    icc: bytes = b""
    exif: bytes = b""
    lossless: bool = True

    def without_metadata(self, data: Data) -> Iterator[bytes]:
        """Yield the bytes of the image without its metadata, part by part."""
        for part in self.image_data:
            yield part if isinstance(part, bytes) else data[part[0] : part[1]]

    def check(self, limits: Limits) -> None:
        """Raise Invalid for an image without pixels or above a limit."""
        if self.width < 1 or self.height < 1:
            refuse(f"a picture of {self.width} x {self.height} pixels has nothing to show")
        if self.frames > limits.max_frames:
            refuse(f"too many frames: at most {limits.max_frames:,} are allowed")
        pixels = self.width * self.height * self.frames
        if pixels > limits.max_pixels:
            over = f" in {self.frames:,} frames" if self.frames > 1 else ""
            refuse(
                f"too large: {self.width:,} x {self.height:,} pixels{over} are {pixels:,},"
                f" at most {limits.max_pixels:,} are allowed"
            )
        if self.memory > limits.max_memory:
            refuse(
                f"too large to decode: a {self.format} of this kind with"
                f" {self.width:,} x {self.height:,} pixels takes {self.memory / 1e6:,.0f} MB of"
                f" memory, at most {limits.max_memory / 1e6:,.0f} are allowed"
            )
