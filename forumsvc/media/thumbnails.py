"""Small square images, for avatars. Runs in the sandbox."""

from typing import BinaryIO

from PIL import Image, ImageOps

from forumsvc.media.decode import clean, open_image
from forumsvc.media.encode import EncodedImage
from forumsvc.media.limits import Limits

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
    if small.has_transparency_data and small.getchannel("A").getextrema() != (255, 255):
        small.convert("RGBA").save(out, "PNG")
        return EncodedImage("PNG", SIDE, SIDE, 1)
    small.convert("RGB").save(out, "JPEG", quality=_QUALITY)
    return EncodedImage("JPEG", SIDE, SIDE, 1)


def _scalable(image: Image.Image) -> Image.Image:
    """Return the image in a mode whose pixels can be averaged."""
    if image.mode == "I;16":
        image = image.point(lambda value: value / 256).convert("L")
    if image.mode in ("1", "P") or "transparency" in image.info:
        return image.convert("RGBA" if image.has_transparency_data else "RGB")
    return image
