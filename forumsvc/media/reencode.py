"""A picture decoded and encoded anew.

Runs in the worker process: it holds a whole picture in memory and trusts decoders written in C.
"""

from dataclasses import dataclass
from typing import Any, BinaryIO

from PIL import Image, JpegImagePlugin

from forumsvc.media.color import to_srgb
from forumsvc.media.decode import attempt, opened
from forumsvc.media.formats import inspect
from forumsvc.media.formats.gif import GifOutline
from forumsvc.media.formats.header import Data, Outline
from forumsvc.media.frames import SIDEWAYS, Spool, orientation
from forumsvc.media.gif import reencode_gif
from forumsvc.media.limits import Limits
from forumsvc.media.spooled_animation import Reel

_SMALL = 4_000_000
# Bytes a pixel that libwebp's encoder was seen to take with Pillow's image, and with room.
_WEBP_LOSSY, _WEBP_LOSSLESS, _WEBP_CLEAR = 24, 36, 44
_WEBP_QUALITY = 85
_JPEG_QUALITY = 90
_FOUR_FOUR_FOUR = 0


@dataclass(frozen=True)
class Facts:
    """What came out: format (PNG, JPEG, GIF, WEBP), width and height in pixels, frames."""

    format: str
    width: int
    height: int
    frames: int


def reencode(data: Data, out: BinaryIO, limits: Limits) -> Facts:
    """Write the picture in `data` to `out` anew and return what it is.

    The format stays, but for a WebP too large to be encoded as WebP within `limits.max_memory`:
    that becomes a JPEG, or a PNG where it is lossless or transparent. Of an animated PNG the
    default image stays.
    Raises Invalid("file", why) for what is refused, OSError where `out` or a temporary file
    cannot be written.
    """
    outline = inspect(data, limits)
    if isinstance(outline, GifOutline):
        reencode_gif(data, outline, out)
        return Facts("GIF", outline.width, outline.height, outline.frames)
    with Spool() as spool:
        with opened(data, outline) as image:
            options = _fill(spool, image, outline)
        # Two whole pictures do not fit: the decoder's goes before the canvas comes.
        del image
        return _encode(spool, outline, options, out, limits)


def _fill(spool: Spool, image: Image.Image, outline: Outline) -> dict[str, Any]:
    """Put every frame into the spool; return what the encoder is to be told."""
    turned = orientation(outline.exif)
    mode = _mode_with_alpha(image)
    options = _kept(image, turned, outline)
    convert = to_srgb(outline.icc, mode)

    def finish(band: Image.Image) -> Image.Image:
        band = band if band.mode == mode else band.convert(mode)
        return convert(band) if convert and mode != "P" else band

    for frame in range(outline.frames):
        attempt(_load, image, frame)
        if outline.frames > 1:
            options["duration"].append(image.info["duration"])
        spool.add(image, turned, finish)
    if mode == "P":
        options["palette"] = (convert(image) if convert else image).getpalette("RGB")
    return options


def _mode_with_alpha(image: Image.Image) -> str:
    """Return the image's mode, or one with an alpha channel where a colour means transparent: it
    would mean nothing once colours are converted."""
    key = image.info.get("transparency")
    if image.mode == "RGB" and isinstance(key, tuple):
        # Of 16 bits a sample the decoder keeps 8, in which the colour cannot be told any more.
        return "RGBA" if max(key) <= 255 else "RGB"
    return "LA" if image.mode in ("1", "L") and isinstance(key, int) else image.mode


def _load(image: Image.Image, frame: int) -> None:
    image.seek(frame)
    image.load()


def _kept(image: Image.Image, turned: int, outline: Outline) -> dict[str, Any]:
    """Return what of the source the encoder is told: transparency, JPEG tables, loop count."""
    if isinstance(image, JpegImagePlugin.JpegImageFile):
        return _jpeg_options(image, turned)
    if outline.format == "WEBP" and outline.frames > 1:
        background = image.info["background"]
        return {"duration": [], "loop": image.info["loop"], "background": background}
    if image.mode in ("P", "I;16") and "transparency" in image.info:
        return {"transparency": image.info["transparency"]}
    return {}


def _jpeg_options(image: JpegImagePlugin.JpegImageFile, turned: int) -> dict[str, Any]:
    """Return the source's own quantization and sampling, with which coding again loses least."""
    tables = [image.quantization[number] for number in sorted(image.quantization)]
    sampling = JpegImagePlugin.get_sampling(image)
    if image.mode == "CMYK" or max(max(table) for table in tables) > 255:
        return {"quality": _JPEG_QUALITY, "subsampling": _FOUR_FOUR_FOUR}
    if sampling < 0 or (turned in SIDEWAYS and sampling == 1):
        sampling = _FOUR_FOUR_FOUR
    return {"qtables": tables, "subsampling": sampling}


def _encode(
    spool: Spool, outline: Outline, options: dict[str, Any], out: BinaryIO, limits: Limits
) -> Facts:
    width, height = spool.size
    kind = outline.format
    if kind == "WEBP" and spool.frames > 1:
        reel = Reel(spool)
        reel.save(out, "WEBP", save_all=True, method=2, **_webp_coding(outline), **options)
        return Facts("WEBP", width, height, spool.frames)
    canvas = spool.canvas()
    if canvas.mode == "P":
        canvas.putpalette(options.pop("palette"), "RGB")
    if kind == "WEBP":
        clear = canvas.mode == "RGBA"
        cost = _WEBP_LOSSLESS if outline.lossless else _WEBP_CLEAR if clear else _WEBP_LOSSY
        if cost * width * height <= limits.max_memory:
            canvas.save(out, "WEBP", **_webp_coding(outline), method=4)
        else:
            kind = "PNG" if outline.lossless or clear else "JPEG"
            options = {"quality": _JPEG_QUALITY} if kind == "JPEG" else {}
    if kind == "JPEG":
        canvas.save(out, "JPEG", **options)
    elif kind == "PNG":
        level = 6 if width * height <= _SMALL else 2
        canvas.save(out, "PNG", compress_level=level, **options)
    return Facts(kind, width, height, 1)


def _webp_coding(outline: Outline) -> dict[str, Any]:
    """Return how a WebP is coded: as its source was. `exact` keeps what is fully transparent."""
    if outline.lossless:
        return {"lossless": True, "quality": 50, "exact": True}
    return {"quality": _WEBP_QUALITY}
