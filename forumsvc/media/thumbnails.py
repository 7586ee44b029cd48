"""Small images: squares for avatars, and small versions of photos. Runs in the sandbox."""

from typing import BinaryIO

from PIL import Image, ImageOps

from forumsvc.media.decode import clean, open_image
from forumsvc.media.encode import EncodedImage
from forumsvc.media.limits import Limits
from forumsvc.media.small_versions import SMALL_WIDTH

SIDE = 240
"""Width and height of a thumbnail in pixels."""

_QUALITY = 85


def write_thumbnail(file: BinaryIO, out: BinaryIO, limits: Limits) -> EncodedImage:
    """Write the middle square of an image's first frame, SIDE x SIDE pixels.

    Writes a JPEG, or a PNG if the image has transparency. Raises the same as `reencode`.
    """
    with open_image(file, limits, side=2 * SIDE) as image:
        image.load()
        # What is dear to convert is small before it is converted.
        small = clean(ImageOps.fit(_scalable(image), (SIDE, SIDE), Image.Resampling.LANCZOS))
    return _written(small, out)


def write_small(file: BinaryIO, out: BinaryIO, limits: Limits) -> EncodedImage:
    """Write an image's first frame, SMALL_WIDTH pixels wide at most, in its proportions.

    Writes a JPEG, or a PNG if the image has transparency. Raises the same as `reencode`.
    """
    with open_image(file, limits, side=2 * SMALL_WIDTH) as image:
        image.load()
        width = min(image.width, SMALL_WIDTH)
        size = width, max(1, round(image.height * width / image.width))
        small = clean(_scalable(image).resize(size, Image.Resampling.LANCZOS))
    return _written(small, out)


def _written(small: Image.Image, out: BinaryIO) -> EncodedImage:
    if small.has_transparency_data and small.getchannel("A").getextrema() != (255, 255):
        small.convert("RGBA").save(out, "PNG")
        return EncodedImage("PNG", *small.size, 1)
    small.convert("RGB").save(out, "JPEG", quality=_QUALITY)
    return EncodedImage("JPEG", *small.size, 1)


def _scalable(image: Image.Image) -> Image.Image:
    """Return the image in a mode whose pixels can be averaged."""
    if image.mode == "I;16":
        image = image.point(lambda value: value / 256).convert("L")
    if image.mode in ("1", "P") or "transparency" in image.info:
        return image.convert("RGBA" if image.has_transparency_data else "RGB")
    return image
