"""Color profiles are applied before they are dropped; libvips gives the expected result."""

import struct
from io import BytesIO
from typing import Any

from PIL import Image

from forumsvc.media.color import to_srgb
from forumsvc.media.encode import reencode
from forumsvc.media.limits import Limits
from tests.cases import each
from tests.unit.media import sample_images
from tests.unit.media.reader import DecodedImage, decode, difference

P3 = sample_images.profile("RGB")


def made(data: bytes) -> DecodedImage:
    out = BytesIO()
    reencode(BytesIO(data), out, Limits())
    return decode(out.getvalue())


@each("kind", ["PNG", "WEBP"])
@each("mode", ["RGB", "RGBA", "P"])
def test_wide_colors_become_srgb(kind: str, mode: str) -> None:
    if kind == "WEBP" and mode == "P":
        mode = "RGB"
    data = sample_images.encoded(sample_images.scene(mode), kind, icc_profile=P3, lossless=True)
    mean, greatest = difference(decode(data), made(data))
    assert greatest <= 3
    assert (
        difference(
            decode(data),
            decode(sample_images.encoded(sample_images.scene(mode), kind, lossless=True)),
        )[0]
        > mean
    )


def test_a_printers_jpeg_is_seen_through_its_profile() -> None:
    profile = sample_images.profile("CMYK")
    data = sample_images.encoded(
        sample_images.scene("CMYK"), "JPEG", icc_profile=profile, quality=95
    )
    blind = decode(sample_images.encoded(sample_images.scene("CMYK"), "JPEG", quality=95))
    assert difference(decode(data), made(data))[0] <= 6
    assert difference(decode(data), blind)[0] > 20


@each("profile", [b"", b"nonsense", P3[:200], bytes(500)])
def test_a_profile_that_cannot_be_read_is_ignored(profile: bytes) -> None:
    data = sample_images.encoded(sample_images.scene("RGB"), "PNG", icc_profile=profile)
    bare = decode(sample_images.encoded(sample_images.scene("RGB"), "PNG"))
    assert difference(bare, made(data))[1] == 0


@each("mode", ["L", "LA", "1", "I;16"])
def test_a_profile_for_another_kind_of_image_is_ignored(mode: str) -> None:
    data = sample_images.encoded(sample_images.scene(mode), "PNG", icc_profile=P3)
    assert (
        difference(decode(sample_images.encoded(sample_images.scene(mode), "PNG")), made(data))[1]
        == 0
    )


def linear_grey() -> bytes:
    """Return a minimal profile (ICC.1:2001-04) of a linear gray."""
    white = b"XYZ \0\0\0\0" + struct.pack(">iii", 0xF6D6, 0x10000, 0xD32D)
    name = b"desc\0\0\0\0" + struct.pack(">I", 5) + b"grey\0" + bytes(79)
    tags = {
        b"wtpt": white,
        b"kTRC": b"curv" + bytes(8),
        b"cprt": b"text\0\0\0\0-\0\0\0",
        b"desc": name,
    }
    table, body = struct.pack(">I", len(tags)), b""
    for tag, value in tags.items():
        table += tag + struct.pack(">II", 132 + 12 * len(tags) + len(body), len(value))
        body += value
    head = struct.pack(">I4sI", 132 + 12 * len(tags) + len(body), b"none", 0x02400000)
    head += b"mntrGRAYXYZ " + bytes(12) + b"acsp" + bytes(28)
    head += struct.pack(">iii", 0xF6D6, 0x10000, 0xD32D)
    return head + bytes(128 - len(head)) + table + body


@each("mode", ["L", "LA"])
def test_gray_of_another_scale_becomes_srgb(mode: str) -> None:
    for light, expected in ((0, 0), (55, 128), (128, 188), (255, 255)):
        image = Image.new(mode, (1, 1), light if mode == "L" else (light, 77))
        made = to_srgb(image, linear_grey())
        value: Any = made.getpixel((0, 0))
        grey, *alpha = value if isinstance(value, tuple) else (value,)
        assert abs(grey - expected) <= 1
        assert alpha == ([77] if mode == "LA" else [])
        assert made.mode == mode
