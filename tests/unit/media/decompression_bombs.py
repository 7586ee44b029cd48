"""Images that are small as files and huge, endless or slow once decoded."""

import struct
import zlib
from io import BytesIO

from PIL import Image

from tests.unit.media.sample_images import encoded, scene


def chunk(kind: bytes, body: bytes) -> bytes:
    """Return a PNG chunk."""
    checksum = zlib.crc32(body, zlib.crc32(kind))
    return len(body).to_bytes(4, "big") + kind + body + checksum.to_bytes(4, "big")


def png(width: int, height: int, idat: bytes, *, depth: int = 8, color: int = 0) -> bytes:
    """Return a PNG of the given size around compressed image data."""
    header = struct.pack(">IIBBBBB", width, height, depth, color, 0, 0, 0)
    body = chunk(b"IHDR", header) + chunk(b"IDAT", idat) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body


def png_bomb() -> bytes:
    """Return 20 KB of PNG that hold 13,000 x 13,000 pixels."""
    packer = zlib.compressobj(9)
    row = bytes(1 + 13000 // 8)
    idat = b"".join(packer.compress(row) for _ in range(13000)) + packer.flush()
    return png(13000, 13000, idat, depth=1)


def gif(
    size: tuple[int, int], frames: int, *, end: bool = True, frame: tuple[int, int] = (1, 1)
) -> bytes:
    """Return a GIF of that many frames on a large canvas, with or without its trailer.

    Each frame claims the size `frame` and has data for one pixel.
    """
    words = struct.pack("<HH", *size)
    one = b",\0\0\0\0" + struct.pack("<HH", *frame) + b"\0\2\2D\1\0"
    return b"GIF89a" + words + b"\x80\0\0" + bytes(6) + one * frames + (b";" if end else b"")


def jpeg_of_scans(scans: int) -> bytes:
    data = encoded(scene("L"), "JPEG", progressive=True)
    last = data.rindex(b"\xff\xda")
    return data[:-2] + data[last:-2] * scans + b"\xff\xd9"


def resized(data: bytes, width: int, height: int) -> bytes:
    """Return a JPEG whose frame header claims another size."""
    at = next(data.index(mark) for mark in (b"\xff\xc0", b"\xff\xc2") if mark in data)
    return data[: at + 5] + struct.pack(">HH", height, width) + data[at + 9 :]


def noise(mode: str, size: tuple[int, int]) -> Image.Image:
    grain = Image.effect_noise(size, 90)
    return grain if mode == "L" else Image.merge(mode, [grain] * len(mode))


def large(kind: str, mode: str, size: tuple[int, int], **options: object) -> bytes:
    """Return a large image, flat, so that it is quick to make."""
    out = BytesIO()
    Image.new(mode, size, 0x30).save(out, kind, **options)
    return out.getvalue()
