"""Parses the chunks of a PNG (W3C PNG, third edition, §5)."""

import struct
import zlib

from forumsvc.media.formats.header import Data, ImageHeader, refuse, refuse_truncated
from forumsvc.media.limits import Limits

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_IMAGE_CHUNKS = {b"IHDR", b"PLTE", b"tRNS", b"IDAT", b"IEND"}
_ANCILLARY_BIT = 0x20
_MAX_PROFILE = 4 << 20
_GRAY, _PALETTE = 0, 3
_DEPTHS = {0: (1, 2, 4, 8, 16), 2: (8, 16), 3: (1, 2, 4, 8), 4: (8, 16), 6: (8, 16)}


def read_header(data: Data, limits: Limits) -> ImageHeader:
    """Return the header of a PNG. Of an animated PNG only the default image is used.

    Raises Invalid for a truncated or damaged chunk (CRC), an unknown critical chunk, a missing
    IHDR, IDAT or IEND, and data above the limits.
    """
    header: ImageHeader | None = None
    position, has_image_data = len(_SIGNATURE), False
    image_data: list[bytes | tuple[int, int]] = [_SIGNATURE]
    while True:
        if position + 12 > len(data):
            refuse_truncated("the PNG ends before its IEND chunk")
        length = int.from_bytes(data[position : position + 4], "big")
        kind = data[position + 4 : position + 8]
        end = position + 12 + length
        if end > len(data):
            refuse_truncated(f"the PNG ends inside its {_chunk_name(kind)} chunk")
        body = data[position + 8 : end - 4]
        if zlib.crc32(body, zlib.crc32(kind)) != int.from_bytes(data[end - 4 : end], "big"):
            refuse(f"broken: the checksum of the PNG's {_chunk_name(kind)} chunk is wrong")
        if header is None:
            if kind != b"IHDR":
                refuse("broken: the PNG does not begin with an IHDR chunk")
            header = _read_ihdr(body)
            header.check(limits)
        elif kind == b"IHDR":
            refuse("broken: the PNG has two IHDR chunks")
        if kind in _IMAGE_CHUNKS:
            image_data.append((position, end))
            has_image_data = has_image_data or kind == b"IDAT"
        elif kind == b"iCCP":
            header.icc = _read_icc_profile(body)
        elif kind == b"eXIf":
            header.exif = body
        elif not kind[0] & _ANCILLARY_BIT:
            refuse(f"broken: the PNG has an unknown critical chunk {_chunk_name(kind)}")
        if kind == b"IEND":
            break
        position = end
    if not has_image_data:
        refuse("broken: the PNG has no IDAT chunk")
    header.image_data = image_data
    return header


def _read_ihdr(body: bytes) -> ImageHeader:
    if len(body) != 13:
        refuse("broken: the PNG's IHDR chunk has a wrong length")
    width, height, depth, color, compression, method, interlace = struct.unpack(">IIBBBBB", body)
    if depth not in _DEPTHS.get(color, ()) or compression or method or interlace > 1:
        refuse("broken: the PNG's IHDR chunk names a colour type or method that does not exist")
    bytes_per_pixel = (2 if depth == 16 else 1) if color in (_GRAY, _PALETTE) else 4
    return ImageHeader("PNG", width, height, memory=bytes_per_pixel * width * height)


def _read_icc_profile(body: bytes) -> bytes:
    """Return the ICC profile of an iCCP chunk, or empty bytes if it is unreadable or too large."""
    compressed = body.partition(b"\0")[2]
    decompressor = zlib.decompressobj()
    try:
        profile = decompressor.decompress(compressed[1:], _MAX_PROFILE)
    except zlib.error:
        return b""
    return profile if decompressor.eof else b""


def _chunk_name(kind: bytes) -> str:
    return kind.decode("ascii") if kind.isalpha() else "next"
