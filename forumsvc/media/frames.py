"""A fresh canvas: pixels, and nothing else, carried over from what a decoder made.

The pixels go band by band through a file, turned upright and converted to sRGB on the way, so that
never more than one whole picture is in memory.
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
"""The orientations in which width and height change places."""


def read_orientation(exif: bytes) -> int:
    """Return the orientation, 1 to 8, that an EXIF block names (EXIF 2.32, tag 0x0112).

    1, upright, where it names none or cannot be read: browsers show such pictures as stored.
    """
    block = Image.Exif()
    try:
        block.load(exif)
        value = block.get(_ORIENTATION_TAG, 1)
    except Exception:  # whatever a broken EXIF block does to the parser
        return 1
    return value if value in _TRANSPOSE else 1


def oriented_size(size: tuple[int, int], orientation: int) -> tuple[int, int]:
    """Return width and height as they are once the orientation is applied."""
    return (size[1], size[0]) if orientation in SIDEWAYS else size


def apply_orientation(image: Image.Image, orientation: int) -> Image.Image:
    """Return the image with its orientation applied."""
    return image.transpose(_TRANSPOSE[orientation]) if orientation in _TRANSPOSE else image


class FrameBuffer:
    """Frames of one size and mode, as bare bytes in a file without a name.

    size: width and height, pixels. frames: how many have been added.
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
        """Append a decoded image's pixels, made upright, each band passed through `convert`."""
        self.size = oriented_size(image.size, orientation)
        for band in _bands(image, orientation):
            converted = convert(band)
            self.mode = converted.mode
            self._file.write(converted.tobytes())
        self.frame_count += 1

    def image(self, frame: int = 0) -> Image.Image:
        """Return one frame on a canvas of its own.

        Raises OSError where the file cannot be read back.
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
    """Yield the upright picture's rows from top to bottom, band by band."""
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
