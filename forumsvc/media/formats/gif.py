"""The blocks of a GIF (GIF89a specification)."""

from dataclasses import dataclass, field

from forumsvc.media.formats.header import Data, Outline, refuse, truncated
from forumsvc.media.limits import Limits

_EXTENSION, _IMAGE, _TRAILER = 0x21, 0x2C, 0x3B
_CONTROL, _APPLICATION = 0xF9, 0xFF
_LOOPING = {b"NETSCAPE2.0", b"ANIMEXTS1.0"}
_HAS_TABLE, _INTERLACED = 0x80, 0x40


@dataclass(frozen=True)
class Frame:
    """One image of a GIF.

    control: the packed byte (disposal, transparency), the delay (2 bytes, hundredths of a second)
    and the transparent index, or nothing. table: the local colour table, 3 bytes a colour.
    code_size: LZW minimum code size. data: where its sub-blocks lie, terminator included.
    """

    left: int
    top: int
    width: int
    height: int
    interlaced: bool
    control: bytes
    table: bytes
    code_size: int
    data: tuple[int, int]


@dataclass
class GifOutline(Outline):
    """A GIF's outline: what every picture has, its global colour table, loop count and images."""

    table: bytes = b""
    loop: int | None = None
    images: list[Frame] = field(default_factory=list)


def inspect(data: Data, limits: Limits) -> GifOutline:
    """Return the outline of a GIF; its frames are decoded one by one from `images`.

    The canvas grows to hold every frame, as browsers show it.
    Raises Invalid for a block that is cut, a missing trailer, a frame without a colour table, and
    for what is above the limits.
    """
    if len(data) < 13:
        truncated("the GIF ends inside its header")
    outline = GifOutline("GIF", _word(data, 6), _word(data, 8), memory=0, frames=0)
    outline.table, position = _table(data, data[10], 13)
    control = b""
    while True:
        block = _byte(data, position)
        if block == _TRAILER:
            break
        if block == _EXTENSION:
            label = _byte(data, position + 1)
            start, position = position + 2, _skip(data, position + 2)
            if label == _CONTROL:
                control = _control(data, start)
            elif label == _APPLICATION:
                outline.loop = _loop(data, start, outline.loop)
        elif block == _IMAGE:
            frame, position = _image(data, position + 1, control, outline.table)
            control = b""
            outline.images.append(frame)
            outline.frames += 1
            outline.width = max(outline.width, frame.left + frame.width)
            outline.height = max(outline.height, frame.top + frame.height)
            outline.check(limits)
        else:
            refuse("broken: the GIF has a block of an unknown kind")
    if not outline.images:
        refuse("broken: the GIF has no picture")
    # The frame that is decoded, as Pillow holds it and as bytes, and the one that is encoded.
    outline.memory = 3 * max(frame.width * frame.height for frame in outline.images)
    outline.check(limits)
    return outline


def _byte(data: Data, position: int) -> int:
    if position >= len(data):
        truncated("the GIF ends before its trailer")
    return data[position]


def _word(data: Data, position: int) -> int:
    return int.from_bytes(data[position : position + 2], "little")


def _table(data: Data, packed: int, position: int) -> tuple[bytes, int]:
    """Return the colour table that begins at `position`, if there is one, and what follows it."""
    if not packed & _HAS_TABLE:
        return b"", position
    end = position + 3 * (2 << (packed & 7))
    if end > len(data):
        truncated("the GIF ends inside a colour table")
    return data[position:end], end


def _skip(data: Data, position: int) -> int:
    """Return the position behind the sub-blocks that begin at `position`."""
    while length := _byte(data, position):
        position += 1 + length
    return position + 1


def _control(data: Data, start: int) -> bytes:
    if data[start] != 4 or start + 5 > len(data):
        refuse("broken: the GIF has a graphic control extension of a wrong length")
    packed, transparent = data[start + 1] & 0x1D, data[start + 4]
    return bytes((packed,)) + data[start + 2 : start + 4] + bytes((transparent,))


def _loop(data: Data, start: int, known: int | None) -> int | None:
    """Return the loop count of a NETSCAPE extension (0: for ever), or what was known."""
    block = data[start : start + 16]
    if block[:1] == b"\x0b" and block[1:12] in _LOOPING and block[12:14] == b"\x03\x01":
        return _word(data, start + 14)
    return known


def _image(data: Data, position: int, control: bytes, common: bytes) -> tuple[Frame, int]:
    if position + 9 > len(data):
        truncated("the GIF ends inside a frame's header")
    left, top, width, height = (_word(data, position + at) for at in (0, 2, 4, 6))
    if width == 0 or height == 0:
        refuse("broken: the GIF has a frame without pixels")
    packed = data[position + 8]
    table, position = _table(data, packed, position + 9)
    if not table and not common:
        refuse("broken: the GIF has a frame without a colour table")
    code_size = _byte(data, position)
    if not 1 <= code_size <= 8:
        refuse("broken: the GIF has a frame with an impossible code size")
    end = _skip(data, position + 1)
    interlaced = bool(packed & _INTERLACED)
    spot = (position + 1, end)
    return Frame(left, top, width, height, interlaced, control, table, code_size, spot), end
