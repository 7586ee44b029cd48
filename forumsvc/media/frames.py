"""Buffers the pixels of decoded frames in a file, oriented upright and converted to sRGB.

The pixels are copied band by band, so that never more than one whole image is in memory. Only
pixels are copied, so that nothing else of the upload reaches the encoder.
"""

import tempfile
from collections.abc import Iterator
from typing import BinaryIO, Self

from PIL import Image

from forumsvc.media.color import ColorConverter

_BAND_BYTES = 4 << 20
_BYTES_PER_PIXEL = {"1": 1, "L": 1, "P": 1, "I;16": 2, "LA": 2, "RGB": 3, "RGBA": 4}
_ORIENTATION_TAG = 0x0112
_TRANSPOSE = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}
SIDEWAYS = frozenset({5, 6, 7, 8})
"""The orientations that swap width and height."""


def read_orientation(exif: bytes) -> int:
    """Return the orientation, 1 to 8, of an EXIF block (EXIF 2.32, tag 0x0112).

    1, upright, if there is none or it is unreadable: browsers show such images as stored.
    """
    block = Image.Exif()
    try:
        block.load(exif)
        value = block.get(_ORIENTATION_TAG, 1)
    except Exception:  # a broken EXIF block may make the parser raise anything
        return 1
    return value if value in _TRANSPOSE else 1


def oriented_size(size: tuple[int, int], orientation: int) -> tuple[int, int]:
    """Return width and height after the orientation is applied."""
    return (size[1], size[0]) if orientation in SIDEWAYS else size


def apply_orientation(image: Image.Image, orientation: int) -> Image.Image:
    return image.transpose(_TRANSPOSE[orientation]) if orientation in _TRANSPOSE else image


class FrameBuffer:
    """Frames of the same size and mode, as raw pixels in an unnamed temporary file.

    size: width and height in pixels. frame_count: how many frames were added.
    """

    def __init__(self) -> None:
        self.size = (0, 0)
        self.mode = ""
        self.frame_count = 0
        self._file: BinaryIO = tempfile.TemporaryFile()  # noqa: SIM115

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def add(self, image: Image.Image, orientation: int, convert: ColorConverter) -> None:
        """Append the pixels of a decoded image, upright, each band converted by `convert`."""
        self.size = oriented_size(image.size, orientation)
        for band in _bands(image, orientation):
            converted = convert(band)
            self.mode = converted.mode
            self._file.write(converted.tobytes())
        self.frame_count += 1

    def image(self, frame: int = 0) -> Image.Image:
        """Return a frame as a new image.

        Raises OSError if the file cannot be read.
        """
        width, height = self.size
        canvas = Image.new(self.mode, self.size)
        row = (width + 7) // 8 if self.mode == "1" else width * _BYTES_PER_PIXEL[self.mode]
        self._file.seek(frame * row * height)
        for top, bottom in _band_ranges(width, height):
            data = self._file.read(row * (bottom - top))
            strip = Image.frombytes(self.mode, (width, bottom - top), data)
            canvas.paste(strip, (0, top))
        return canvas


def _band_ranges(width: int, height: int) -> Iterator[tuple[int, int]]:
    """Yield the (top, bottom) of bands of about 4 MB."""
    rows = max(1, _BAND_BYTES // (4 * width))
    for top in range(0, height, rows):
        yield top, min(height, top + rows)


def _bands(image: Image.Image, orientation: int) -> Iterator[Image.Image]:
    """Yield the rows of the upright image from top to bottom, band by band."""
    across, down = image.size
    width, height = oriented_size(image.size, orientation)
    for top, bottom in _band_ranges(width, height):
        if orientation in (5, 6):
            box = (top, 0, bottom, down)
        elif orientation in (7, 8):
            box = (across - bottom, 0, across - top, down)
        elif orientation in (3, 4):
            box = (0, down - bottom, across, down - top)
        else:
            box = (0, top, across, bottom)
        yield apply_orientation(image.crop(box), orientation)
