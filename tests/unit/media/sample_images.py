"""Images of every kind, generated."""

from dataclasses import dataclass
from functools import cache
from io import BytesIO
from typing import Any

import pyvips
from PIL import Image, ImageDraw
from PIL.PngImagePlugin import PngInfo

SECRET = "taken-at-51.5007N-0.1246W"
"""Part of all metadata of the samples, which must not be in any stored image."""

SIZES = [(1, 1), (2, 400), (64, 48), (301, 203)]
MODES = {
    "PNG": ["1", "L", "LA", "P", "PA", "RGB", "RGBA", "I;16"],
    "JPEG": ["L", "RGB", "CMYK"],
    "GIF": ["L", "P", "PA"],
    "WEBP": ["RGB", "RGBA"],
}
_ORIENTATION, _DESCRIPTION, _GPS = 0x0112, 0x010E, 0x8825


@dataclass(frozen=True)
class SampleImage:
    """An upload: its name in the test's output, its bytes, and whether its format is lossless."""

    name: str
    data: bytes
    exact: bool


def scene(mode: str, size: tuple[int, int] = (64, 48), step: int = 0) -> Image.Image:
    """Return an image with slopes, edges and, by mode, transparency; `step` moves its bar."""
    width, height = size
    slope = Image.linear_gradient("L").resize(size)
    disc = Image.radial_gradient("L").resize(size)
    colors = Image.merge("RGB", (slope, disc, slope.transpose(Image.Transpose.ROTATE_180)))
    left = step * width // 8
    bar = [left, height // 4, left + width // 8, height // 2]
    ImageDraw.Draw(colors).rectangle(bar, fill=(250, 20, 20))
    if mode == "PA":
        image = colors.quantize(60)
        image.info["transparency"] = 3
        return image
    if mode == "P":
        return colors.quantize(200)
    if mode == "I;16":
        return colors.convert("L").convert("I;16")
    if mode in ("RGBA", "LA"):
        colors.putalpha(disc)
    return colors.convert(mode)


def encoded(image: Image.Image, kind: str, **options: Any) -> bytes:
    out = BytesIO()
    image.save(out, kind, **options)
    return out.getvalue()


def exif(orientation: int = 1) -> Image.Exif:
    """Return an EXIF block with a secret description, a GPS position, and an orientation."""
    block = Image.Exif()
    block[_DESCRIPTION] = SECRET
    block[_ORIENTATION] = orientation
    block[_GPS] = {1: "N", 2: (51.0, 30.0, 2.5), 29: SECRET}
    return block


@cache
def plain() -> list[SampleImage]:
    """Return each format in each mode and size, in each way of coding."""
    found = []
    for kind, modes in MODES.items():
        for mode in modes:
            for size in SIZES:
                name = f"{kind}-{mode}-{size[0]}x{size[1]}"
                image = scene(mode, size)
                for way, options in _ways(kind, mode).items():
                    data = encoded(image, kind, **options)
                    exact = kind in ("PNG", "GIF") or way == "lossless"
                    found.append(SampleImage(f"{name}-{way}", data, exact))
    return found


def _ways(kind: str, mode: str) -> dict[str, dict[str, Any]]:
    if kind == "JPEG" and mode == "RGB":
        return {
            "444": {"subsampling": 0, "quality": 90},
            "422": {"subsampling": 1, "quality": 90},
            "420": {"subsampling": 2, "quality": 90},
            "progressive": {"progressive": True, "quality": 90},
        }
    if kind == "WEBP":
        return {"lossless": {"lossless": True}, "lossy": {"quality": 90}}
    if kind == "GIF":
        return {"interlaced": {"interlace": 1}, "plain": {"interlace": 0}}
    return {"plain": {}}


@cache
def oriented() -> list[SampleImage]:
    """Return every orientation in the formats that support it, one of them larger than a band."""
    found = []
    for number in range(1, 9):
        block = exif(number)
        large = encoded(scene("RGB", (1250, 1000)), "PNG", exif=block, compress_level=1)
        found.append(SampleImage(f"turned-{number}-PNG-large", large, True))
        for mode in MODES["PNG"]:
            data = encoded(scene(mode, (61, 40)), "PNG", exif=block)
            found.append(SampleImage(f"turned-{number}-{mode}", data, True))
        data = encoded(scene("RGB"), "JPEG", exif=block, subsampling=1, quality=90)
        found.append(SampleImage(f"turned-{number}-JPEG-422", data, False))
        data = encoded(scene("RGBA"), "WEBP", exif=block, lossless=True)
        found.append(SampleImage(f"turned-{number}-WEBP", data, True))
    return found


@cache
def annotated() -> list[SampleImage]:
    """Return images with every kind of metadata, and with bytes after their end."""
    text = PngInfo()
    text.add_text("Comment", SECRET)
    text.add_text("Packed", SECRET, zip=True)
    text.add_itxt("XML:com.adobe.xmp", SECRET)
    about = {"exif": exif(), "icc_profile": profile("RGB")}
    rgb, tail = scene("RGB"), SECRET.encode()
    many = {"exif": exif(), "comment": tail, "xmp": tail, "icc_profile": profile("RGB")}
    files = {
        "PNG": encoded(rgb, "PNG", pnginfo=text, dpi=(300, 300), **about),
        "JPEG": encoded(rgb, "JPEG", quality=90, dpi=(300, 300), **many),
        "GIF": encoded(scene("P"), "GIF", comment=tail),
        "WEBP": encoded(rgb, "WEBP", lossless=True, xmp=tail, **about),
    }
    return [
        SampleImage(f"annotated-{kind}", data, kind != "JPEG") for kind, data in files.items()
    ] + [SampleImage(f"tail-{kind}", data + tail, kind != "JPEG") for kind, data in files.items()]


@cache
def animated() -> list[SampleImage]:
    """Return animations: times, loops, disposal, transparency, local tables, partial frames."""
    found = []

    def add(name: str, kind: str, mode: str, exact: bool, **options: Any) -> None:
        first, *rest = [scene(mode, step=step) for step in range(5)]
        times = {"save_all": True, "append_images": rest, "duration": [50, 60, 70, 80, 90]}
        found.append(SampleImage(name, encoded(first, kind, **times, **options), exact))

    for loop, disposal in ((0, 1), (3, 2), (0, 3)):
        # Readers differ about what a first frame is restored to, so it is kept.
        kept = [1, *[disposal] * 4]
        add(f"GIF-animated-{disposal}", "GIF", "P", True, loop=loop, disposal=kept)
    for loop, lossless in ((0, True), (3, False)):
        options = {"loop": loop, "lossless": lossless, "exif": exif()}
        add(f"WEBP-animated-{lossless}", "WEBP", "RGBA", lossless, **options)
    add("GIF-animated-transparent", "GIF", "RGBA", True, disposal=2)
    return found


def profile(mode: str) -> bytes:
    """Return a color profile other than sRGB: Display P3, or a printer's for CMYK."""
    name, space = ("cmyk", "cmyk") if mode == "CMYK" else ("p3", "srgb")
    black = pyvips.Image.black(1, 1, bands=3).copy(interpretation="srgb")
    made = black.icc_transform(name, input_profile="srgb", embedded=False)
    assert made.interpretation in (space, "rgb")
    return bytes(made.get("icc-profile-data"))
