"""The chunks of a PNG (W3C PNG, third edition, §5)."""

import struct
import zlib

from forumsvc.media.formats.header import Data, Outline, refuse, truncated
from forumsvc.media.limits import Limits

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_DRAWN = {b"IHDR", b"PLTE", b"tRNS", b"IDAT", b"IEND"}
_CRITICAL = 0x20
_MAX_PROFILE = 4 << 20
_GREY, _PALETTE = 0, 3
_DEPTHS = {0: (1, 2, 4, 8, 16), 2: (8, 16), 3: (1, 2, 4, 8), 4: (8, 16), 6: (8, 16)}


def inspect(data: Data, limits: Limits) -> Outline:
    """Return the outline of a PNG. Of an animated one the default image is taken.

    Raises Invalid for a chunk that is cut, damaged (CRC) or unknown and critical, for a missing
    IHDR, IDAT or IEND, and for what is above the limits.
    """
    outline: Outline | None = None
    position, drawn = len(_SIGNATURE), False
    parts: list[bytes | tuple[int, int]] = [_SIGNATURE]
    while True:
        if position + 12 > len(data):
            truncated("the PNG ends before its IEND chunk")
        length = int.from_bytes(data[position : position + 4], "big")
        kind = data[position + 4 : position + 8]
        end = position + 12 + length
        if end > len(data):
            truncated(f"the PNG ends inside its {_name(kind)} chunk")
        body = data[position + 8 : end - 4]
        if zlib.crc32(body, zlib.crc32(kind)) != int.from_bytes(data[end - 4 : end], "big"):
            refuse(f"broken: the checksum of the PNG's {_name(kind)} chunk is wrong")
        if outline is None:
            if kind != b"IHDR":
                refuse("broken: the PNG does not begin with an IHDR chunk")
            outline = _header(body)
            outline.check(limits)
        elif kind == b"IHDR":
            refuse("broken: the PNG has two IHDR chunks")
        if kind in _DRAWN:
            parts.append((position, end))
            drawn = drawn or kind == b"IDAT"
        elif kind == b"iCCP":
            outline.icc = _profile(body)
        elif kind == b"eXIf":
            outline.exif = body
        elif not kind[0] & _CRITICAL:
            refuse(f"broken: the PNG has an unknown critical chunk {_name(kind)}")
        if kind == b"IEND":
            break
        position = end
    if not drawn:
        refuse("broken: the PNG has no IDAT chunk")
    outline.parts = parts
    return outline


def _header(body: bytes) -> Outline:
    if len(body) != 13:
        refuse("broken: the PNG's IHDR chunk has a wrong length")
    width, height, depth, colour, compression, method, interlace = struct.unpack(">IIBBBBB", body)
    if depth not in _DEPTHS.get(colour, ()) or compression or method or interlace > 1:
        refuse("broken: the PNG's IHDR chunk names a colour type or method that does not exist")
    a_pixel = (2 if depth == 16 else 1) if colour in (_GREY, _PALETTE) else 4
    return Outline("PNG", width, height, memory=a_pixel * width * height)


def _profile(body: bytes) -> bytes:
    """Return the ICC profile of an iCCP chunk, or nothing where it is unreadable or huge."""
    packed = body.partition(b"\0")[2]
    unpack = zlib.decompressobj()
    try:
        profile = unpack.decompress(packed[1:], _MAX_PROFILE)
    except zlib.error:
        return b""
    return profile if unpack.eof else b""


def _name(kind: bytes) -> str:
    return kind.decode("ascii") if kind.isalpha() else "next"
