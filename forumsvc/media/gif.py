"""Re-encodes the frames of a GIF by their color indices.

Composing the frames would lose their local color tables and so their exact colors. Instead, the
indices of each frame are decoded and encoded again, and this module writes the color tables,
delays, disposal, transparency and loop count.
"""

from io import BytesIO
from typing import BinaryIO

from PIL import Image

from forumsvc.media.decode import run_decoder
from forumsvc.media.formats.gif import GifFrame, GifHeader, read_header
from forumsvc.media.formats.header import Data
from forumsvc.media.limits import Limits

_HEADER = b"GIF89a"
_TRAILER = b";"
_INTERLACED = 0x40
_UNLIMITED = Limits(max_pixels=2**32, max_memory=2**34)


def reencode_gif(data: Data, header: GifHeader, out: BinaryIO) -> None:
    """Re-encode the GIF: canvas, color tables, loop count and frames; nothing else is copied.

    Raises Invalid for a frame that cannot be decoded or lacks pixels.
    """
    out.write(_HEADER + _uint16s(header.width, header.height))
    out.write(bytes((_color_table_flags(header.color_table), 0, 0)) + header.color_table)
    if header.loop is not None:
        out.write(b"!\xff\x0bNETSCAPE2.0\x03\x01" + _uint16s(header.loop) + b"\0")
    for frame in header.frame_headers:
        if frame.control:
            out.write(b"!\xf9\x04" + frame.control + b"\0")
        out.write(b"," + _uint16s(frame.left, frame.top, frame.width, frame.height))
        out.write(bytes((_color_table_flags(frame.color_table),)) + frame.color_table)
        out.write(_lzw_encode(frame_indices(data, frame)))
    out.write(_TRAILER)


def frame_indices(data: Data, frame: GifFrame) -> Image.Image:
    """Return a frame's color indices as an image of mode L.

    Raises Invalid if its data is no LZW code or ends before its pixels.
    """
    size = _uint16s(frame.width, frame.height)
    file = BytesIO()
    file.write(_HEADER + size + b"\0\0\0," + _uint16s(0, 0) + size)
    file.write(bytes((_INTERLACED if frame.interlaced else 0, frame.code_size)))
    file.write(data[frame.data_range[0] : frame.data_range[1]] + _TRAILER)
    file.seek(0)
    image = run_decoder(Image.open, file, formats=["GIF"])
    run_decoder(image.load)
    return Image.frombytes("L", image.size, image.tobytes())


def _lzw_encode(indices: Image.Image) -> bytes:
    """Return the LZW code of an image of mode L: code size, sub-blocks, terminator."""
    file = BytesIO()
    indices.save(file, "GIF", optimize=False, interlace=0)
    encoded = file.getvalue()
    # Pillow adds a gray color table for mode L, which is dropped; the indices do not change.
    start, end = read_header(encoded, _UNLIMITED).frame_headers[0].data_range
    return encoded[start - 1 : end]


def _color_table_flags(table: bytes) -> int:
    """Return the flags for a color table: its presence, and its size as a power of two."""
    return 0x80 | (len(table) // 3).bit_length() - 2 if table else 0


def _uint16s(*numbers: int) -> bytes:
    return b"".join(number.to_bytes(2, "little") for number in numbers)
