"""Parses the blocks of a GIF (GIF89a specification)."""

from dataclasses import dataclass, field

from forumsvc.media.formats.header import Data, ImageHeader, refuse, refuse_truncated
from forumsvc.media.limits import Limits

_EXTENSION, _IMAGE, _TRAILER = 0x21, 0x2C, 0x3B
_CONTROL, _APPLICATION = 0xF9, 0xFF
_LOOP_EXTENSIONS = {b"NETSCAPE2.0", b"ANIMEXTS1.0"}
_HAS_TABLE, _INTERLACED = 0x80, 0x40


@dataclass(frozen=True)
class GifFrame:
    """One frame of a GIF.

    control: the packed byte (disposal, transparency), the delay (2 bytes, hundredths of a second)
    and the transparent index, or empty. color_table: the local color table, 3 bytes a color.
    code_size: the LZW minimum code size. data_range: the (start, end) of its sub-blocks, including
    the terminator.
    """

    left: int
    top: int
    width: int
    height: int
    interlaced: bool
    control: bytes
    color_table: bytes
    code_size: int
    data_range: tuple[int, int]


@dataclass
class GifHeader(ImageHeader):
    """A GIF's header, with its global color table, loop count and frames."""

    color_table: bytes = b""
    loop: int | None = None
    frame_headers: list[GifFrame] = field(default_factory=list)


def read_header(data: Data, limits: Limits) -> GifHeader:
    """Return the header of a GIF; its frames are decoded one by one from `frame_headers`.

    The canvas grows to contain every frame, as in browsers.
    Raises Invalid for a truncated block, a missing trailer, a frame without a color table, and
    data above the limits.
    """
    if len(data) < 13:
        refuse_truncated("the GIF ends inside its header")
    header = GifHeader("GIF", _read_uint16(data, 6), _read_uint16(data, 8), memory=0, frames=0)
    header.color_table, position = _read_color_table(data, data[10], 13)
    control = b""
    while True:
        block = _read_byte(data, position)
        if block == _TRAILER:
            break
        if block == _EXTENSION:
            label = _read_byte(data, position + 1)
            start, position = position + 2, _skip_sub_blocks(data, position + 2)
            if label == _CONTROL:
                control = _read_graphic_control(data, start)
            elif label == _APPLICATION:
                header.loop = _read_loop_count(data, start, header.loop)
        elif block == _IMAGE:
            frame, position = _read_frame(data, position + 1, control, header.color_table)
            control = b""
            header.frame_headers.append(frame)
            header.frames += 1
            header.width = max(header.width, frame.left + frame.width)
            header.height = max(header.height, frame.top + frame.height)
            header.check(limits)
        else:
            refuse("broken: the GIF has a block of an unknown kind")
    if not header.frame_headers:
        refuse("broken: the GIF has no picture")
    # The decoded frame, as a Pillow image and as bytes, and the frame that is encoded.
    header.memory = 3 * max(frame.width * frame.height for frame in header.frame_headers)
    header.check(limits)
    return header


def _read_byte(data: Data, position: int) -> int:
    if position >= len(data):
        refuse_truncated("the GIF ends before its trailer")
    return data[position]


def _read_uint16(data: Data, position: int) -> int:
    return int.from_bytes(data[position : position + 2], "little")


def _read_color_table(data: Data, packed: int, position: int) -> tuple[bytes, int]:
    """Return the color table at `position`, or empty bytes, and the position after it."""
    if not packed & _HAS_TABLE:
        return b"", position
    end = position + 3 * (2 << (packed & 7))
    if end > len(data):
        refuse_truncated("the GIF ends inside a colour table")
    return data[position:end], end


def _skip_sub_blocks(data: Data, position: int) -> int:
    """Return the position after the sub-blocks that start at `position`."""
    while length := _read_byte(data, position):
        position += 1 + length
    return position + 1


def _read_graphic_control(data: Data, start: int) -> bytes:
    if data[start] != 4 or start + 5 > len(data):
        refuse("broken: the GIF has a graphic control extension of a wrong length")
    packed, transparent = data[start + 1] & 0x1D, data[start + 4]
    return bytes((packed,)) + data[start + 2 : start + 4] + bytes((transparent,))


def _read_loop_count(data: Data, start: int, known: int | None) -> int | None:
    """Return the loop count of a NETSCAPE extension (0: forever), else `known`."""
    block = data[start : start + 16]
    if block[:1] == b"\x0b" and block[1:12] in _LOOP_EXTENSIONS and block[12:14] == b"\x03\x01":
        return _read_uint16(data, start + 14)
    return known


def _read_frame(
    data: Data, position: int, control: bytes, global_table: bytes
) -> tuple[GifFrame, int]:
    if position + 9 > len(data):
        refuse_truncated("the GIF ends inside a frame's header")
    left, top, width, height = (_read_uint16(data, position + at) for at in (0, 2, 4, 6))
    if width == 0 or height == 0:
        refuse("broken: the GIF has a frame without pixels")
    packed = data[position + 8]
    table, position = _read_color_table(data, packed, position + 9)
    if not table and not global_table:
        refuse("broken: the GIF has a frame without a colour table")
    code_size = _read_byte(data, position)
    if not 1 <= code_size <= 8:
        refuse("broken: the GIF has a frame with an impossible code size")
    end = _skip_sub_blocks(data, position + 1)
    interlaced = bool(packed & _INTERLACED)
    data_range = (position + 1, end)
    return GifFrame(
        left, top, width, height, interlaced, control, table, code_size, data_range
    ), end
