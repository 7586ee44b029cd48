"""Parses the RIFF chunks of a WebP (RFC 9649)."""

from collections.abc import Iterator

from forumsvc.media.formats.header import Data, ImageHeader, refuse, refuse_truncated
from forumsvc.media.limits import Limits

_IMAGE_CHUNKS = {b"VP8 ", b"VP8L", b"ALPH", b"ANIM", b"ANMF"}
_ANIMATION, _ALPHA = 0x02, 0x10
# Bytes for each pixel. Decoding needs libwebp's two canvases, the bytes between libwebp and Pillow,
# Pillow's image, and the pixels of a VP8L decoder or the alpha plane. An animation must also be
# encoded as WebP, because no other format can hold it.
_LOSSY_COST, _LOSSLESS_COST, _ANIMATION_COST = 16, 20, 60
Chunk = tuple[bytes, int, int, int]


def read_header(data: Data, limits: Limits) -> ImageHeader:
    """Return the header of a WebP: simple, extended or animated.

    Raises Invalid for a truncated chunk, a frame outside the canvas, a missing bitstream, and data
    above the limits.
    """
    size = int.from_bytes(data[4:8], "little") + 8
    if size > len(data):
        refuse_truncated("the WebP is shorter than its header says")
    chunks = _chunks(data, 12, size)
    first = next(chunks, None)
    if first is None:
        refuse_truncated("the WebP ends after its header")
    if first[0] != b"VP8X":
        return _read_simple(data, first, limits)
    return _read_extended(data, first, chunks, limits)


def _read_simple(data: Data, chunk: Chunk, limits: Limits) -> ImageHeader:
    kind, start, body, end = chunk
    width, height = _read_dimensions(data, kind, body, end)
    header = _make_header(width, height, lossless=kind == b"VP8L")
    header.check(limits)
    header.image_data = [_riff_header(end - start), (start, end)]
    return header


def _read_extended(
    data: Data, first: Chunk, chunks: Iterator[Chunk], limits: Limits
) -> ImageHeader:
    _, start, body, end = first
    if end - body < 10:
        refuse_truncated("the WebP's VP8X chunk is too short")
    flags = data[body] & (_ANIMATION | _ALPHA)
    width = int.from_bytes(data[body + 4 : body + 7], "little") + 1
    height = int.from_bytes(data[body + 7 : body + 10], "little") + 1
    lossless, frames, icc, exif = True, 0, b"", b""
    kept: list[tuple[int, int]] = []
    for kind, start, body, end in chunks:
        if kind == b"ANMF":
            frames += 1
            lossless = _check_frame(data, body, end, width, height) and lossless
        elif kind in (b"VP8 ", b"VP8L"):
            if _read_dimensions(data, kind, body, end) != (width, height):
                refuse("broken: the WebP's picture and canvas differ in size")
            lossless = lossless and kind == b"VP8L"
            frames = max(frames, 1)
        elif kind == b"ICCP":
            icc = data[body:end]
        elif kind == b"EXIF":
            exif = data[body:end]
        if kind in _IMAGE_CHUNKS:
            kept.append((start, end))
        if frames > limits.max_frames:
            break
    if frames == 0:
        refuse_truncated("the WebP ends before its picture")
    header = _make_header(width, height, lossless=lossless)
    header.frames, header.icc, header.exif = frames, icc, exif
    if frames > 1:
        header.memory = _ANIMATION_COST * width * height
    elif flags & _ALPHA:
        header.memory = _LOSSLESS_COST * width * height
    header.check(limits)
    vp8x = b"VP8X" + (10).to_bytes(4, "little") + bytes((flags, 0, 0, 0))
    vp8x += (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little")
    total = len(vp8x) + sum(end - start for start, end in kept)
    header.image_data = [_riff_header(total), vp8x, *kept]
    return header


def _make_header(width: int, height: int, *, lossless: bool) -> ImageHeader:
    cost = _LOSSLESS_COST if lossless else _LOSSY_COST
    return ImageHeader("WEBP", width, height, memory=cost * width * height, lossless=lossless)


def _riff_header(length: int) -> bytes:
    return b"RIFF" + (length + 4).to_bytes(4, "little") + b"WEBP"


def _chunks(data: Data, position: int, limit: int) -> Iterator[Chunk]:
    """Yield (kind, start, body, end) of each chunk; `end` is after the padding byte."""
    while position + 8 <= limit:
        kind = data[position : position + 4]
        length = int.from_bytes(data[position + 4 : position + 8], "little")
        end = position + 8 + length + (length & 1)
        if end > limit:
            refuse_truncated("the WebP ends inside a chunk")
        yield kind, position, position + 8, end
        position = end


def _check_frame(data: Data, body: int, end: int, width: int, height: int) -> bool:
    """Check one frame of an animation; return whether it was encoded without loss."""
    if end - body < 16:
        refuse_truncated("a frame of the WebP is too short")
    numbers = [int.from_bytes(data[body + at : body + at + 3], "little") for at in (0, 3, 6, 9)]
    left, top, across, down = numbers[0] * 2, numbers[1] * 2, numbers[2] + 1, numbers[3] + 1
    if left + across > width or top + down > height:
        refuse("broken: a frame of the WebP lies outside its canvas")
    bitstreams = (c for c in _chunks(data, body + 16, end) if c[0] in (b"VP8 ", b"VP8L"))
    kind, _, inner, inner_end = next(bitstreams, (b"", 0, 0, 0))
    if not kind:
        refuse("broken: a frame of the WebP has no picture")
    if _read_dimensions(data, kind, inner, inner_end) != (across, down):
        refuse("broken: a frame of the WebP and its picture differ in size")
    return kind == b"VP8L"


def _read_dimensions(data: Data, kind: bytes, body: int, end: int) -> tuple[int, int]:
    """Return width and height from the bitstream's own header."""
    head = data[body : min(end, body + 10)]
    if kind == b"VP8 " and len(head) == 10 and head[3:6] == b"\x9d\x01\x2a":
        return (
            int.from_bytes(head[6:8], "little") & 0x3FFF,
            int.from_bytes(head[8:10], "little") & 0x3FFF,
        )
    if kind != b"VP8L" or len(head) < 5 or head[0] != 0x2F:
        refuse("broken: the WebP has no readable picture header")
    bits = int.from_bytes(head[1:5], "little")
    return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
