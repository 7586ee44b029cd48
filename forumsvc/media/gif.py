"""GIF frames coded anew, index by index.

Composing the frames would cost their local colour tables and so their exact colours; instead each
frame's indices are decoded and coded again, and the tables, times, disposal, transparency and
loop count are written by us.
"""

from io import BytesIO
from typing import BinaryIO

from PIL import Image

from forumsvc.media.decode import attempt
from forumsvc.media.formats.gif import Frame, GifOutline, inspect
from forumsvc.media.formats.header import Data
from forumsvc.media.limits import Limits

_HEADER = b"GIF89a"
_TRAILER = b";"
_INTERLACED = 0x40
_UNLIMITED = Limits(max_pixels=2**32, max_memory=2**34)


def reencode_gif(data: Data, outline: GifOutline, out: BinaryIO) -> None:
    """Write the GIF anew: canvas, tables, loop count and frames; nothing else of it.

    Raises Invalid for a frame that cannot be decoded or lacks pixels.
    """
    out.write(_HEADER + _words(outline.width, outline.height))
    out.write(bytes((_flags(outline.table), 0, 0)) + outline.table)
    if outline.loop is not None:
        out.write(b"!\xff\x0bNETSCAPE2.0\x03\x01" + _words(outline.loop) + b"\0")
    for frame in outline.images:
        if frame.control:
            out.write(b"!\xf9\x04" + frame.control + b"\0")
        out.write(b"," + _words(frame.left, frame.top, frame.width, frame.height))
        out.write(bytes((_flags(frame.table),)) + frame.table)
        out.write(_code(frame_indices(data, frame)))
    out.write(_TRAILER)


def frame_indices(data: Data, frame: Frame) -> Image.Image:
    """Return a frame's colour indices as an image of mode L.

    Raises Invalid where its data end before its pixels do, or are no LZW code.
    """
    size = _words(frame.width, frame.height)
    single = BytesIO()
    single.write(_HEADER + size + b"\0\0\0," + _words(0, 0) + size)
    single.write(bytes((_INTERLACED if frame.interlaced else 0, frame.code_size)))
    single.write(data[frame.data[0] : frame.data[1]] + _TRAILER)
    single.seek(0)
    image = attempt(Image.open, single, formats=["GIF"])
    attempt(image.load)
    return Image.frombytes("L", image.size, image.tobytes())


def _code(indices: Image.Image) -> bytes:
    """Return the LZW code of an image of mode L: code size, sub-blocks, terminator."""
    whole = BytesIO()
    indices.save(whole, "GIF", optimize=False, interlace=0)
    made = whole.getvalue()
    # The grey table that comes with mode L goes; the indices stay as they are.
    start, end = inspect(made, _UNLIMITED).images[0].data
    return made[start - 1 : end]


def _flags(table: bytes) -> int:
    """Return the flags that announce a colour table: present, and the power of two of its size."""
    return 0x80 | (len(table) // 3).bit_length() - 2 if table else 0


def _words(*numbers: int) -> bytes:
    return b"".join(number.to_bytes(2, "little") for number in numbers)
