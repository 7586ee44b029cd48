"""GIF frames coded anew, index by index.

Composing the frames would cost their local color tables and so their exact colors; instead each
frame's indices are decoded and coded again, and the tables, times, disposal, transparency and
loop count are written by us.
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
    """Write the GIF anew: canvas, tables, loop count and frames; nothing else of it.

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

    Raises Invalid where its data end before its pixels do, or are no LZW code.
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
    # The gray table that comes with mode L goes; the indices stay as they are.
    start, end = read_header(encoded, _UNLIMITED).frame_headers[0].data_range
    return encoded[start - 1 : end]


def _color_table_flags(table: bytes) -> int:
    """Return the flags that announce a color table: present, and the power of two of its size."""
    return 0x80 | (len(table) // 3).bit_length() - 2 if table else 0


def _uint16s(*numbers: int) -> bytes:
    return b"".join(number.to_bytes(2, "little") for number in numbers)
