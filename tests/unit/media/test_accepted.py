"""An accepted image comes back as the same image, without anything else."""

from io import BytesIO

import pytest

from forumsvc.media.limits import Limits
from forumsvc.media.reencode import EncodedImage, reencode
from tests.unit.media import sample_images
from tests.unit.media.chunks import part_names
from tests.unit.media.reader import decode, difference

PLAIN = {
    "PNG": {"IHDR", "PLTE", "tRNS", "IDAT", "IEND"},
    "JPEG": {"E0", "DB", "C0", "C4", "DA", "D9"},
    "GIF": {"image", "extension F9", "extension FF NETSCAPE2.0"},
    "WEBP": {"VP8 ", "VP8L", "VP8X", "ALPH", "ANIM", "ANMF"},
}
# Steps of 255 on average: coding a small JPEG with hard edges again, off its grid, costs about 3; a
# image turned the wrong way is off by more than 40.
TOLERANCE = 4
SPECIMENS = [
    *sample_images.plain(),
    *sample_images.of_libvips(),
    *sample_images.oriented(),
    *sample_images.annotated(),
    *sample_images.polyglots(),
    *sample_images.animated(),
]


def made(data: bytes) -> tuple[EncodedImage, bytes]:
    out = BytesIO()
    return reencode(data, out, Limits()), out.getvalue()


@pytest.mark.parametrize("specimen", SPECIMENS, ids=lambda specimen: specimen.name)
def test_an_image_comes_back_whole_and_bare(specimen: sample_images.SampleImage) -> None:
    facts, result = made(specimen.data)
    before, after = decode(specimen.data), decode(result)
    assert (facts.width, facts.height, facts.frames) == (after.width, after.height, after.frames)
    assert (before.width, before.height) == (after.width, after.height)
    assert (before.frames, before.delays, before.loop) == (after.frames, after.delays, after.loop)
    mean, greatest = difference(before, after)
    if specimen.exact and "icc-profile-data" not in before.metadata:
        assert greatest == 0
    else:
        assert mean <= TOLERANCE
    assert not after.metadata
    assert set(part_names(result)) <= PLAIN[facts.format]
    assert sample_images.SECRET.encode() not in result


@pytest.mark.parametrize("specimen", sample_images.annotated(), ids=lambda specimen: specimen.name)
def test_every_annotated_specimen_carries_what_must_go(specimen: sample_images.SampleImage) -> None:
    assert sample_images.SECRET.encode() in specimen.data
