"""Parses the marker segments of a JPEG (ITU-T T.81, annex B)."""

import re

from forumsvc.media.formats.header import Data, ImageHeader, refuse, refuse_truncated
from forumsvc.media.limits import Limits

_SOI, _EOI, _SOS = 0xD8, 0xD9, 0xDA
_BASELINE, _EXTENDED, _PROGRESSIVE = 0xC0, 0xC1, 0xC2
_FRAME_HEADERS = set(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_TABLES = {0xC4, 0xDB, 0xDD}
_APP0, _APP1, _APP2, _APP14 = 0xE0, 0xE1, 0xE2, 0xEE
_EXIF, _ICC = b"Exif\0\0", b"ICC_PROFILE\0"
_NEXT_MARKER = re.compile(rb"\xff[^\x00\xd0-\xd7\xff]", re.DOTALL)
# As libjpeg-turbo advises: each of thousands of scans would process the whole image.
_MAX_SCANS = 100


def read_header(data: Data, limits: Limits) -> ImageHeader:
    """Return the header of a JPEG (baseline, extended or progressive Huffman, 8 bits).

    Of a file with several images (multi-picture, gain map) only the first is used.
    Raises Invalid for a truncated segment, a missing EOI, other coding processes, and data above
    the limits.
    """
    header: ImageHeader | None = None
    process = components = scans = 0
    blocks = 0.0
    profile: dict[int, bytes] = {}
    exif = b""
    image_data: list[bytes | tuple[int, int]] = [b"\xff\xd8"]
    position = 2
    while True:
        marker, start = _read_marker(data, position)
        if marker == _EOI:
            break
        length = int.from_bytes(data[start : start + 2], "big")
        end = start + length
        if length < 2 or end > len(data):
            refuse_truncated("the JPEG ends inside a segment")
        body = data[start + 2 : end]
        position = end
        if marker in _FRAME_HEADERS:
            if header is not None:
                refuse("broken: the JPEG has two frame headers")
            process = marker
            header, components, blocks = _read_frame_header(marker, body)
        elif marker == _SOS:
            if header is None or not body:
                refuse("broken: the JPEG has a scan without a frame header")
            if scans == 0:
                # Several scans make libjpeg keep all coefficients, two bytes each.
                if process == _PROGRESSIVE or body[0] < components:
                    header.memory += int(2 * blocks * header.width * header.height)
                header.check(limits)
            scans += 1
            if scans > _MAX_SCANS:
                refuse(f"too many scans: at most {_MAX_SCANS} are allowed in a JPEG")
            following = _NEXT_MARKER.search(data, end)
            if following is None:
                refuse_truncated("the JPEG ends inside its picture data")
            position = following.start()
        if _is_image_data(marker, body):
            image_data.append(bytes((0xFF, marker)))
            image_data.append((start, position))
        elif marker == _APP1 and body.startswith(_EXIF) and not exif:
            exif = body[len(_EXIF) :]
        elif marker == _APP2 and body.startswith(_ICC) and len(body) > len(_ICC) + 2:
            profile.setdefault(body[len(_ICC)], body[len(_ICC) + 2 :])
    if header is None or scans == 0:
        refuse("broken: the JPEG has no picture data")
    header.image_data = [*image_data, b"\xff\xd9"]
    header.icc = b"".join(profile[number] for number in sorted(profile))
    header.exif = exif
    return header


def _read_marker(data: Data, position: int) -> tuple[int, int]:
    """Return the marker at `position` and the start of its segment."""
    if position + 2 > len(data):
        refuse_truncated("the JPEG ends before its end marker")
    if data[position] != 0xFF:
        refuse("broken: the JPEG has bytes between its segments")
    while data[position] == 0xFF:
        position += 1
        if position >= len(data):
            refuse_truncated("the JPEG ends before its end marker")
    marker = data[position]
    if marker in (0x00, 0x01, _SOI) or 0xD0 <= marker <= 0xD7:
        refuse("broken: the JPEG has a marker where none may stand")
    return marker, position + 1


def _is_image_data(marker: int, body: bytes) -> bool:
    """Return whether a decoder needs the segment: tables, frame, scans, and the two segments that
    distinguish YCbCr from RGB.
    """
    if marker == _APP0:
        return body.startswith(b"JFIF\0")
    if marker == _APP14:
        return body.startswith(b"Adobe")
    return marker in _TABLES or marker in _FRAME_HEADERS or marker == _SOS


def _read_frame_header(marker: int, body: bytes) -> tuple[ImageHeader, int, float]:
    """Return the header, the number of components, and the samples stored for each pixel."""
    if marker not in (_BASELINE, _EXTENDED, _PROGRESSIVE):
        refuse("not supported: the JPEG is arithmetic-coded, lossless or hierarchical")
    if len(body) < 6 or len(body) != 6 + 3 * body[5]:
        refuse("broken: the JPEG's frame header has a wrong length")
    height, width = int.from_bytes(body[1:3], "big"), int.from_bytes(body[3:5], "big")
    components = body[5]
    if body[0] != 8 or components not in (1, 3, 4):
        refuse("not supported: the JPEG has not 8 bits a sample and 1, 3 or 4 components")
    factors = [(value >> 4, value & 15) for value in body[7::3]]
    if not all(1 <= across <= 4 and 1 <= down <= 4 for across, down in factors):
        refuse("broken: the JPEG has an impossible sampling factor")
    widest, highest = max(h for h, _ in factors), max(v for _, v in factors)
    blocks = sum(h * v for h, v in factors) / (widest * highest)
    bytes_per_pixel = 1 if components == 1 else 4
    return (
        ImageHeader("JPEG", width, height, memory=bytes_per_pixel * width * height),
        components,
        blocks,
    )
