"""Converts colors to sRGB, so that an image looks the same without its color profile."""

from collections.abc import Callable
from io import BytesIO

from PIL import Image, ImageCms

ColorConverter = Callable[[Image.Image], Image.Image]

_SPACES = {"L": "GRAY", "LA": "GRAY", "RGB": "RGB", "RGBA": "RGB", "P": "RGB", "CMYK": "CMYK"}
_GRID_STEPS = (0, 36, 73, 109, 146, 182, 219, 255)


def srgb_converter(icc: bytes, mode: str) -> ColorConverter | None:
    """Return a function that converts an image of `mode` to sRGB (RGB, RGBA, L or LA), or None.

    None if there is nothing to convert: there is no profile; it is unreadable or for another type
    of image, which browsers ignore, too; or it equals sRGB within one step of 255.
    """
    if mode == "CMYK" and not icc:
        return lambda image: image.convert("RGB")
    transform = _transform(icc, mode) if icc else None
    if transform is None:
        return (lambda image: image.convert("RGB")) if mode == "CMYK" else None
    if mode in ("RGB", "RGBA", "P") and _is_identity(transform):
        return None

    def convert(image: Image.Image) -> Image.Image:
        if image.mode == "P":
            return _convert_palette(image, transform)
        if image.mode in ("RGB", "CMYK"):
            return ImageCms.applyTransform(image, transform) or image
        bands = image.split()
        if image.mode == "RGBA":
            colors = ImageCms.applyTransform(image.convert("RGB"), transform) or image
            return Image.merge("RGBA", (*colors.split()[:3], bands[3]))
        gray = (ImageCms.applyTransform(bands[0], transform) or image).split()[1]
        return Image.merge("LA", (gray, bands[1])) if image.mode == "LA" else gray

    return convert


def _transform(icc: bytes, mode: str) -> ImageCms.ImageCmsTransform | None:
    space = _SPACES.get(mode)
    try:
        profile = ImageCms.ImageCmsProfile(BytesIO(icc))
        if profile.profile.xcolor_space.strip() != space:
            return None
        source = {"GRAY": "L", "RGB": "RGB", "CMYK": "CMYK"}[space or ""]
        return ImageCms.buildTransform(profile, ImageCms.createProfile("sRGB"), source, "RGB")
    except (ImageCms.PyCMSError, OSError, TypeError, ValueError):
        return None


def _is_identity(transform: ImageCms.ImageCmsTransform) -> bool:
    """Apply the transform to a grid of colors; return whether none changes."""
    grid = bytes(
        value for r in _GRID_STEPS for g in _GRID_STEPS for b in _GRID_STEPS for value in (r, g, b)
    )
    probe = Image.frombytes("RGB", (64, 8), grid)
    result = (ImageCms.applyTransform(probe, transform) or probe).tobytes()
    return all(abs(was - now) <= 1 for was, now in zip(grid, result, strict=True))


def _convert_palette(image: Image.Image, transform: ImageCms.ImageCmsTransform) -> Image.Image:
    colors = bytes(image.getpalette("RGB") or ())
    strip = Image.frombytes("RGB", (len(colors) // 3, 1), colors)
    image.putpalette((ImageCms.applyTransform(strip, transform) or strip).tobytes(), "RGB")
    return image
