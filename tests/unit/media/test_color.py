"""Color profiles are applied before they are dropped; libvips gives the expected result."""

from io import BytesIO

from forumsvc.media.encode import reencode
from forumsvc.media.limits import Limits
from tests.cases import each
from tests.unit.media.reader import DecodedImage, decode, difference
from tests.unit.media.sample_images import encoded, profile, scene

P3 = profile("RGB")


def made(data: bytes) -> DecodedImage:
    out = BytesIO()
    reencode(BytesIO(data), out, Limits())
    return decode(out.getvalue())


@each(
    ("kind", "mode", "icc", "options"),
    [
        *(("PNG", mode, P3, {}) for mode in ("RGB", "RGBA", "P")),
        *(("WEBP", mode, P3, {"lossless": True}) for mode in ("RGB", "RGBA")),
        ("JPEG", "RGB", P3, {"quality": 95, "subsampling": 0}),
        ("JPEG", "CMYK", profile("CMYK"), {"quality": 95}),
    ],
)
def test_an_image_looks_as_with_its_profile(kind, mode, icc, options):
    data = encoded(scene(mode), kind, icc_profile=icc, **options)
    bare = encoded(scene(mode), kind, **options)
    mean, _ = difference(decode(data), made(data))
    assert mean <= 3
    assert difference(decode(data), decode(bare))[0] > 3 * mean


@each(
    ("mode", "icc"),
    [
        *(("RGB", icc) for icc in (b"", b"nonsense", P3[:200], bytes(500))),
        *((mode, P3) for mode in ("L", "LA", "1", "I;16")),
    ],
)
def test_a_profile_that_cannot_be_read_or_is_of_another_kind_of_image_is_ignored(mode, icc):
    data, bare = encoded(scene(mode), "PNG", icc_profile=icc), encoded(scene(mode), "PNG")
    assert difference(decode(bare), made(data))[1] == 0
