"""Decodes images with libvips, which shares no decoding code with Pillow."""

from dataclasses import dataclass

import pyvips

_FORMAT_FIELDS = {
    "width", "height", "bands", "format", "coding", "interpretation", "xoffset", "yoffset",
    "xres", "yres", "filename", "vips-loader", "bits-per-sample", "palette", "background",
    "page-height", "n-pages", "loop", "delay", "jpeg-multiscan", "jpeg-chroma-subsample",
    "gif-palette", "interlaced",
}  # fmt: skip


@dataclass(frozen=True)
class DecodedImage:
    """What a viewer shows: size in pixels, frames, delays (ms), loop count, pixels (RGBA, 8 bits,
    frames one below the other); and the names of all other data in the file.
    """

    width: int
    height: int
    frames: int
    delays: tuple[int, ...]
    loop: int
    pixels: pyvips.Image
    metadata: frozenset[str]


def decode(data: bytes) -> DecodedImage:
    """Decode an image, with orientation and color profile applied, as a browser does."""
    options = {"n": -1} if data[:3] == b"GIF" or data[:4] == b"RIFF" else {}
    image = pyvips.Image.new_from_buffer(data, "", **options)
    fields = set(image.get_fields())
    frames = image.get("n-pages") if "n-pages" in fields else 1
    pixels = _rgba(image.autorot() if frames == 1 else image)
    return DecodedImage(
        pixels.width,
        pixels.height // frames,
        frames,
        tuple(image.get("delay")) if frames > 1 else (),
        image.get("loop") if frames > 1 else 0,
        pixels,
        frozenset(fields - _FORMAT_FIELDS),
    )


def difference(one: DecodedImage, other: DecodedImage) -> tuple[float, float]:
    """Return the mean and the largest difference of the pixels, colors weighted by opacity."""
    apart = (one.pixels.premultiply() - other.pixels.premultiply()).abs()
    worst = apart[0].bandrank([apart[1], apart[2], apart[3]], index=3)
    return worst.avg(), worst.max()


def _rgba(image: pyvips.Image) -> pyvips.Image:
    if "icc-profile-data" in image.get_fields():
        image = image.icc_transform("srgb", embedded=True, intent="perceptual")
    elif image.interpretation == "cmyk":
        ink = 255 - image
        image = (ink[0:3] * ink[3] / 255).rint().cast("uchar").copy(interpretation="srgb")
    elif image.format == "ushort":
        space = "b-w" if image.bands < 3 else "srgb"
        image = (image / 256).floor().cast("uchar").copy(interpretation=space).colourspace("srgb")
    else:
        image = image.colourspace("srgb")
    return image if image.bands == 4 else image.addalpha()
