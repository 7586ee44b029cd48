"""An accepted image comes back as the same image, without anything else."""

import zlib
from io import BytesIO

from forumsvc.media.encode import EncodedImage, reencode
from forumsvc.media.limits import Limits
from tests.cases import each
from tests.unit.media import decompression_bombs, sample_images
from tests.unit.media.reader import decode, difference

# Steps of 255 on average: coding a small JPEG with hard edges again, off its grid, costs about 3; a
# image turned the wrong way is off by more than 40.
TOLERANCE = 4
SPECIMENS = [
    *sample_images.plain(),
    *sample_images.oriented(),
    *sample_images.annotated(),
    *sample_images.animated(),
]


def made(data: bytes) -> tuple[EncodedImage, bytes]:
    out = BytesIO()
    return reencode(BytesIO(data), out, Limits()), out.getvalue()


@each("specimen", SPECIMENS)
def test_an_image_comes_back_whole_and_bare(specimen):
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
    assert sample_images.SECRET.encode() not in result


def test_equal_frames_of_an_animation_may_become_one_that_lasts_as_long():
    first, other = sample_images.scene("P"), sample_images.scene("P", step=3)
    options = {"save_all": True, "duration": 50, "lossless": True}
    for kind in ("GIF", "WEBP"):
        frames = [other.convert("RGB"), other.convert("RGB"), first.convert("RGB")]
        data = sample_images.encoded(first.convert("RGB"), kind, append_images=frames, **options)
        facts, result = made(data)
        after = decode(result)
        assert facts.frames == after.frames
        assert sum(after.delays) == 200


@each("times", [2, 12])
@each("mode", ["P", "RGB", "RGBA"])
def test_a_pause_of_equal_frames_may_be_longer_than_one_frame_of_a_gif(times, mode):
    scene = sample_images.scene("RGB")
    frames = [turned.convert(mode) for turned in (scene, scene.rotate(180))]
    data = sample_images.encoded(
        frames[0], "GIF", save_all=True, append_images=frames[1:], duration=100
    )
    begin = data.rindex(b"\x21\xf9\x04")
    frame = data[begin : begin + 4] + b"\xff\xff" + data[begin + 6 : -1]
    facts, result = made(data[:begin] + frame * times + b";")
    assert facts.frames == 2
    assert max(decode(result).delays) == 655_350


def test_a_jpeg_is_taken_with_whatever_a_camera_put_behind_it():
    film = b"\xff\xda\xff\xd8\xff\xe1" * 1000
    _, result = made(sample_images.encoded(sample_images.scene("RGB"), "JPEG") + film)
    assert len(result) < 5000


@each("kind", ["PNG", "JPEG", "WEBP"])
@each("block", [b"", b"x", b"II*\0\xff\xff\xff\xff", b"MM\0*\0\0\0\x08\xff\xff"])
def test_an_exif_block_that_cannot_be_read_is_ignored(kind, block):
    scene = sample_images.scene("RGB")
    data = sample_images.encoded(scene, kind, exif=b"Exif\0\0" + block)
    assert made(data)[1] == made(sample_images.encoded(scene, kind))[1]


@each("size", [100, 2 << 20, 8 << 20])
@each("head", [b"zTXt" + b"p\0\0", b"iTXt" + b"XML:com.adobe.xmp\0\1\0\0\0", b"iCCP" + b"p\0\0"])
def test_a_png_is_taken_with_large_texts_and_profiles_of_editors(size, head):
    plain = sample_images.encoded(sample_images.scene("RGB"), "PNG")
    block = decompression_bombs.chunk(head[:4], head[4:] + zlib.compress(bytes(size), 9))
    begin = plain.index(b"IDAT") - 4
    assert made(plain[:begin] + block + plain[begin:])[1] == made(plain)[1]
