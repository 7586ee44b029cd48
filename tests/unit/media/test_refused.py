"""Every broken image is refused as Invalid with a reason."""

import random
import resource
import zlib
from collections.abc import Iterator
from contextlib import suppress
from io import BytesIO
from typing import Any

import psutil
import pytest
from PIL import Image, ImageFile, WebPImagePlugin

from forumsvc.errors import Invalid
from forumsvc.media import encode
from forumsvc.media.encode import reencode
from forumsvc.media.limits import Limits
from forumsvc.media.thumbnails import write_thumbnail
from tests.cases import each
from tests.unit.media import decompression_bombs as bombs
from tests.unit.media import sample_images

LIMITS = Limits()
ALL = [*sample_images.plain(), *sample_images.annotated(), *sample_images.animated()]
ONE_OF_A_KIND = [s for s in ALL if "64x48" in s.name or "anim" in s.name or "annot" in s.name]
LARGER = {
    "PNG": sample_images.encoded(bombs.noise("RGB", (90, 60)), "PNG"),
    "PNG-interlaced-text": sample_images.annotated()[0].data,
    "JPEG": sample_images.encoded(bombs.noise("RGB", (160, 120)), "JPEG"),
    "JPEG-progressive": sample_images.encoded(
        bombs.noise("RGB", (160, 120)), "JPEG", progressive=True
    ),
    "GIF": sample_images.encoded(bombs.noise("L", (120, 90)), "GIF"),
    "GIF-animated": next(s.data for s in sample_images.animated() if s.name.startswith("GIF")),
    "WEBP-lossy": sample_images.encoded(bombs.noise("RGB", (160, 120)), "WEBP"),
    "WEBP-lossless": sample_images.encoded(bombs.noise("RGBA", (90, 60)), "WEBP", lossless=True),
    "WEBP-animated": next(s.data for s in sample_images.animated() if s.name.startswith("WEBP")),
}


def refusal(data: bytes, limits: Limits = LIMITS) -> str:
    with pytest.raises(Invalid) as caught:
        reencode(BytesIO(data), BytesIO(), limits)
    assert caught.value.field == "file"
    return caught.value.reason


@pytest.mark.parametrize("name", LARGER)
def test_a_file_cut_anywhere_is_refused_as_truncated(name):
    data = LARGER[name]
    for length in {*range(20, len(data), 256), *range(len(data) - 30, len(data))}:
        assert "truncated" in refusal(data[:length]), length


@pytest.fixture
def bounded_memory() -> Iterator[None]:
    """As much memory as in the sandbox: a damaged GIF asks for any number of pixels."""
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    used = psutil.Process().memory_info().vms
    resource.setrlimit(resource.RLIMIT_AS, (used + LIMITS.max_memory, hard))
    yield
    resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


@pytest.mark.usefixtures("bounded_memory")
@pytest.mark.parametrize("specimen", ONE_OF_A_KIND, ids=lambda specimen: specimen.name)
def test_damaged_bytes_end_in_an_image_or_a_refusal(specimen):
    dice = random.Random(specimen.name)  # noqa: S311
    for _ in range(15):
        data = bytearray(specimen.data)
        for _ in range(dice.randint(1, 8)):
            data[dice.randrange(len(data))] = dice.randrange(256)
        judge(with_checksums(bytes(data)) if specimen.name.startswith("PNG") else bytes(data))


def with_checksums(data: bytes) -> bytes:
    """Return a PNG with correct checksums of its chunks, as far as they can be parsed."""
    whole, at = bytearray(data), 8
    while at + 12 <= len(whole):
        end = at + 8 + int.from_bytes(whole[at : at + 4], "big")
        if end + 4 > len(whole):
            break
        whole[end : end + 4] = zlib.crc32(whole[at + 4 : end]).to_bytes(4, "big")
        at = end + 4
    return bytes(whole)


def judge(data: bytes) -> None:
    """Accept or refuse; any other exception fails the test."""
    for job in (reencode, write_thumbnail):
        with suppress(Invalid, MemoryError):
            job(BytesIO(data), BytesIO(), LIMITS)


JPEG = sample_images.encoded(sample_images.scene("RGB"), "JPEG")


@each(
    ("data", "why"),
    [
        *(
            (other, "not a PNG, JPEG, GIF or WebP")
            for other in (b"", b"hello", b"<svg/>", b"%!PS-")
        ),
        (sample_images.encoded(sample_images.scene("RGB"), "TIFF"), "not a PNG"),
        (sample_images.encoded(sample_images.scene("RGB"), "AVIF"), "not a PNG"),
        (bombs.png_bomb(), "13,000 x 13,000 pixels are 169,000,000, at most 25,000,000"),
        (bombs.gif((9000, 9000), 1), "81,000,000, at most 25,000,000"),
        (bombs.gif((1000, 1000), 26) + bytes(20_000), "in 26 frames are 26,000,000"),
        (bombs.gif((1000, 1000), 5), "5,000,000 pixels in 95 bytes, at most 1,300 pixels a byte"),
        (bombs.gif((1, 1), 600_000, end=False), "too many frames: at most 500"),
        (bombs.gif((0, 0), 0), "not a PNG"),
        (bombs.gif((10, 10), 400, end=False), "truncated: the GIF ends before its trailer"),
        (bombs.gif((3, 3), 1, frame=(3, 3)), "broken or truncated: the image cannot be decoded"),
        (bombs.jpeg_of_scans(200), "too many scans: at most 100"),
        (bombs.resized(JPEG, 20000, 20000), "are 400,000,000, at most 100,000,000"),
        (bombs.resized(JPEG, 64, 0), "not a PNG"),
        (bombs.png(0, 5, b""), "not a PNG"),
        (bombs.png(4, 4, b""), "broken or truncated: the image cannot be decoded"),
        (bombs.png(4, 4, b"", color=5), "not a PNG"),
    ],
)
def test_the_refusal_has_a_reason(data, why):
    assert why in refusal(data)


def test_a_wrong_checksum_is_named_with_its_chunk():
    data = bytearray(LARGER["PNG"])
    data[data.index(b"IDAT") + 9] ^= 1
    assert "checksum in b'IDAT'" in refusal(bytes(data))


def test_frames_count_towards_the_given_limit():
    limits = Limits(max_frames=3)
    assert "at most 3" in refusal(LARGER["GIF-animated"], limits)
    assert "at most 3" in refusal(LARGER["WEBP-animated"], limits)


@pytest.mark.parametrize("job", [reencode, write_thumbnail])
def test_many_pixels_in_a_few_bytes_are_refused_before_they_are_decoded(job, monkeypatch):
    monkeypatch.setattr(ImageFile.ImageFile, "load", lambda _: pytest.fail("it is decoded"))
    monkeypatch.setattr(WebPImagePlugin.WebPImageFile, "load", ImageFile.ImageFile.load)
    data = bombs.large("WEBP", "RGB", (2001, 2000), lossless=True, method=0)
    with pytest.raises(Invalid, match="at most 1,300 pixels a byte are allowed"):
        job(BytesIO(data), BytesIO(), LIMITS)


def test_the_pixels_in_a_few_bytes_are_counted_over_all_frames():
    frames = [Image.new("RGB", (1500, 1500), colour) for colour in ("red", "green")]
    animation: Any = {"save_all": True, "append_images": frames[1:], "lossless": True}
    data = sample_images.encoded(frames[0], "WEBP", method=0, **animation)
    assert "4,500,000 pixels in" in refusal(data)


def test_an_animated_webp_has_fewer_pixels_than_other_images(monkeypatch):
    monkeypatch.setattr(encode, "_MAX_WEBP_ANIMATION_PIXELS", 1000)
    with pytest.raises(Invalid, match="at most 1,000 are allowed in an animated WebP"):
        reencode(BytesIO(LARGER["WEBP-animated"]), BytesIO(), LIMITS)


def test_a_large_gif_of_one_colour_is_taken():
    data = bombs.large("GIF", "P", (5000, 5000))
    image = reencode(BytesIO(data), BytesIO(), LIMITS)
    assert (image.width, image.height) == (5000, 5000)
