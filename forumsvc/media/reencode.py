"""A picture decoded and encoded anew.

Runs in the worker process: it holds a whole picture in memory and trusts decoders written in C.
"""

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from tempfile import TemporaryFile
from typing import Any, BinaryIO, ParamSpec, TypeVar

from PIL import Image, JpegImagePlugin, UnidentifiedImageError

from forumsvc.media.canvas import SIDEWAYS, Spool, orientation
from forumsvc.media.colour import to_srgb
from forumsvc.media.formats import inspect
from forumsvc.media.formats.gif import GifOutline
from forumsvc.media.formats.outline import Data, Outline, refuse
from forumsvc.media.gif import reencode_gif
from forumsvc.media.limits import Limits
from forumsvc.media.reel import Reel

_SMALL = 4_000_000
_WEBP_LOSSLESS_COST = 36
_WEBP_QUALITY = 85
_JPEG_QUALITY = 90
_FOUR_FOUR_FOUR = 0
T = TypeVar("T")
P = ParamSpec("P")


@dataclass(frozen=True)
class Facts:
    """What came out: format (PNG, JPEG, GIF, WEBP), width and height in pixels, frames."""

    format: str
    width: int
    height: int
    frames: int


def reencode(data: Data, out: BinaryIO, limits: Limits) -> Facts:
    """Write the picture in `data` to `out` anew and return what it is.

    The format stays, but for a lossless WebP too large to be encoded again within
    `limits.max_memory`: that becomes a PNG. An animated PNG becomes its default image.
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


@contextmanager
def opened(data: Data, outline: Outline) -> Iterator[Image.Image]:
    """Open the bare picture with the decoder that its outline names, and no other."""
    with TemporaryFile() as bare:
        for piece in outline.bare(data):
            bare.write(piece)
        bare.seek(0)
        with attempt(Image.open, bare, formats=[outline.format]) as image:
            yield image


def attempt(step: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Return what a step of decoding gives; refuse the picture (Invalid) if it fails or warns."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            return step(*args, **kwargs)
    except MemoryError:
        raise
    except UnidentifiedImageError:
        refuse("broken: the picture's header cannot be read")
    except Exception as error:  # decoders raise whatever broken data brings them to
        refuse(f"broken: the picture cannot be decoded ({error})")


def _fill(spool: Spool, image: Image.Image, outline: Outline) -> dict[str, Any]:
    """Put every frame into the spool; return what the encoder is to be told."""
    turned = orientation(outline.exif)
    options = _kept(image, turned, outline)
    convert = to_srgb(outline.icc, image.mode)
    for frame in range(outline.frames):
        attempt(_load, image, frame)
        if outline.frames > 1:
            options["duration"].append(image.info["duration"])
        spool.add(image, turned, None if image.mode == "P" else convert)
    if image.mode == "P":
        options["palette"] = (convert(image) if convert else image).getpalette("RGB")
    return options


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
    transparent = image.info.get("transparency")
    return {} if transparent is None else {"transparency": transparent}


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
        coding = {"lossless": outline.lossless, "quality": _WEBP_QUALITY, "method": 2}
        reel.save(out, "WEBP", save_all=True, **coding, **options)
        return Facts("WEBP", width, height, spool.frames)
    canvas = spool.canvas()
    if canvas.mode == "P":
        canvas.putpalette(options.pop("palette"), "RGB")
    if kind == "WEBP" and outline.lossless:
        if _WEBP_LOSSLESS_COST * width * height <= limits.max_memory:
            canvas.save(out, "WEBP", lossless=True, quality=50, method=4, exact=True)
        else:
            kind = "PNG"
    elif kind == "WEBP":
        canvas.save(out, "WEBP", quality=_WEBP_QUALITY, method=4)
    elif kind == "JPEG":
        canvas.save(out, "JPEG", **options)
    if kind == "PNG":
        level = 6 if width * height <= _SMALL else 2
        canvas.save(out, "PNG", compress_level=level, **options)
    return Facts(kind, width, height, 1)
