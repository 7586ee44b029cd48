"""Color profiles are applied before they are dropped; libvips gives the expected result."""

from io import BytesIO

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
