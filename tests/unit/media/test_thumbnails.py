"""Thumbnails: the middle square, upright, in sRGB, without metadata."""

from io import BytesIO
from typing import Any

from PIL import Image, PngImagePlugin

from forumsvc.media.decode import clean
from forumsvc.media.limits import Limits
from forumsvc.media.thumbnails import SIDE, write_thumbnail
from tests.cases import each
from tests.unit.media import sample_images
from tests.unit.media.reader import DecodedImage, decode

SPECIMENS = [*sample_images.plain(), *sample_images.annotated(), *sample_images.animated()]


def small(data: bytes) -> tuple[str, DecodedImage]:
    out = BytesIO()
    facts = write_thumbnail(BytesIO(data), out, Limits())
    assert (facts.width, facts.height, facts.frames) == (SIDE, SIDE, 1)
    assert sample_images.SECRET.encode() not in out.getvalue()
    return facts.format, decode(out.getvalue())


def color(seen: DecodedImage, x: int, y: int) -> tuple[int, ...]:
    return tuple(int(value) for value in seen.pixels.getpoint(x, y))


def near(one: tuple[int, ...], other: tuple[int, ...], most: int = 12) -> bool:
    return all(abs(a - b) <= most for a, b in zip(one, other, strict=True))


@each("specimen", SPECIMENS)
def test_every_kind_of_image_has_a_bare_square_thumbnail(specimen):
    _, seen = small(specimen.data)
    assert (seen.width, seen.height) == (SIDE, SIDE)
    assert not seen.metadata


def flag(size: tuple[int, int], mode: str = "RGB") -> Image.Image:
    """Return a square of four colors, with gray on both sides."""
    image = Image.new(mode, size, "grey")
    side = min(size)
    left, top, half = (size[0] - side) // 2, (size[1] - side) // 2, side // 2
    for number, name in enumerate(("red", "lime", "blue", "white")):
        corner = (left + number % 2 * half, top + number // 2 * half)
        image.paste(name, (*corner, corner[0] + half, corner[1] + half))
    return image


CORNERS = [(20, 20), (SIDE - 20, 20), (20, SIDE - 20), (SIDE - 20, SIDE - 20)]
FLAG = [(255, 0, 0, 255), (0, 255, 0, 255), (0, 0, 255, 255), (255, 255, 255, 255)]


@each("size", [(60, 60), (800, 400), (400, 800), (3000, 2200)])
@each("kind", ["PNG", "JPEG", "GIF", "WEBP"])
def test_the_middle_square_is_taken(kind, size):
    _, seen = small(sample_images.encoded(flag(size), kind))
    assert all(
        near(color(seen, *corner), expected) for corner, expected in zip(CORNERS, FLAG, strict=True)
    )


@each("orientation", range(1, 9))
def test_orientation_is_applied(orientation):
    data = sample_images.encoded(flag((600, 400)), "PNG", exif=sample_images.exif(orientation))
    expected, (_, seen) = decode(data), small(data)
    left = (expected.width - min(expected.width, expected.height)) // 2
    top = (expected.height - min(expected.width, expected.height)) // 2
    for x, y in CORNERS:
        there = color(expected, left + x * 400 // SIDE, top + y * 400 // SIDE)
        assert near(color(seen, x, y), there)


def test_transparency_stays_and_makes_a_png():
    image = flag((500, 500)).convert("RGBA")
    image.paste((0, 0, 0, 0), (0, 0, 250, 250))
    kind, seen = small(sample_images.encoded(image, "PNG"))
    assert kind == "PNG"
    assert color(seen, *CORNERS[0])[3] == 0
    assert near(color(seen, *CORNERS[3]), FLAG[3])


@each("kind", ["JPEG", "PNG", "WEBP"])
def test_an_orientation_in_xmp_alone_is_not_applied(kind):
    xmp = b'<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:Description tiff:Orientation="6"/></x:xmpmeta>'
    file = BytesIO()
    options: dict[str, Any] = {"xmp": xmp}
    if kind == "PNG":
        options = {"pnginfo": PngImagePlugin.PngInfo()}
        options["pnginfo"].add_itxt("XML:com.adobe.xmp", xmp.decode())
    flag((60, 40)).save(file, kind, **options)
    with Image.open(file) as image:
        assert clean(image).size == (60, 40)
