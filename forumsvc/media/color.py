"""Converts colors to sRGB, so that an image looks the same without its color profile."""

from contextlib import suppress
from io import BytesIO

from PIL import Image, ImageCms

_SRGB = ImageCms.createProfile("sRGB")


def to_srgb(image: Image.Image, icc: bytes | None) -> Image.Image:
    """Return the image in sRGB: the same object, which may have changed, or another one.

    icc: its color profile, or None. A profile that is unreadable or for another type of image is
    ignored, as browsers do.
    """
    if icc:
        with suppress(ImageCms.PyCMSError, OSError, TypeError, ValueError):
            return _convert(image, ImageCms.ImageCmsProfile(BytesIO(icc)))
    return image.convert("RGB") if image.mode == "CMYK" else image


def _convert(image: Image.Image, profile: ImageCms.ImageCmsProfile) -> Image.Image:
    if image.mode in ("L", "LA"):
        gray = _transform(image.getchannel(0), profile, "RGB").getchannel(0)
        return gray if image.mode == "L" else Image.merge("LA", (gray, image.getchannel(1)))
    if "transparency" in image.info:
        image = image.convert("RGBA")
    elif image.mode == "P":
        image = image.convert("RGB")
    return _transform(image, profile, "RGBA" if image.mode == "RGBA" else "RGB")


def _transform(image: Image.Image, profile: ImageCms.ImageCmsProfile, mode: str) -> Image.Image:
    in_place = image.mode == mode
    made = ImageCms.profileToProfile(image, profile, _SRGB, outputMode=mode, inPlace=in_place)
    return made or image
