"""Decodes images with Pillow: only the four formats, only complete files, within limits.

Runs in the sandbox: it trusts decoders written in C.
"""

import os
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import BinaryIO, NoReturn

from PIL import GifImagePlugin, Image, ImageOps, PngImagePlugin, UnidentifiedImageError

from forumsvc.errors import Invalid
from forumsvc.media.color import to_srgb
from forumsvc.media.limits import Limits
from forumsvc.text.messages import Message

_FORMATS = ["PNG", "JPEG", "GIF", "WEBP"]
_ANIMATED = ("GIF", "WEBP")
_JPEG_FACTOR = 4
# A few bytes of WebP or GIF can stand for any number of pixels, each of which takes time: with
# this bound at most 20 ms for each kilobyte. A GIF of one colour has 1,276 pixels a byte.
_CHEAP_PIXELS, _PIXELS_PER_BYTE = 4_000_000, 1300
# As libjpeg-turbo advises: each of thousands of scans would process the whole image.
_MAX_SCANS = 100
_JPEG_MARKER = re.compile(rb"\xff[^\x00\x01\xd0-\xd8\xff]", re.DOTALL)
_JPEG_SCAN, _JPEG_END = b"\xff\xda", b"\xff\xd9"
_PNG_END = b"IEND\xae\x42\x60\x82"
_GIF_TRAILER = b";"

_NOT_AN_IMAGE = Message("not a PNG, JPEG, GIF or WebP image, or a broken or truncated one")

# Frames keep their palette as long as it is the same for all.
GifImagePlugin.LOADING_STRATEGY = GifImagePlugin.LoadingStrategy.RGB_AFTER_DIFFERENT_PALETTE_ONLY
# Of a profile or a text of a PNG, decompressed: cameras and editors write several megabytes.
PngImagePlugin.MAX_TEXT_CHUNK = 16 * 1024 * 1024
# The limit of the caller applies.
Image.MAX_IMAGE_PIXELS = None


def refuse(reason: str) -> NoReturn:
    """Raise Invalid for the upload with this reason."""
    raise Invalid("file", reason)


@dataclass(frozen=True)
class Frame:
    """A decoded frame: upright, in sRGB, without metadata. duration: milliseconds."""

    image: Image.Image
    duration: int


@contextmanager
def open_image(file: BinaryIO, limits: Limits, *, side: int = 0) -> Iterator[Image.Image]:
    """Open the image in `file`, whose pixels are not decoded yet; `file` is at its start.

    A JPEG that exceeds `limits.max_pixels`, up to four times, is set to be decoded at a smaller
    scale. side: if not 0, the result may be smaller, with at least so many pixels each way.
    Within the block, whatever a decoder raises becomes Invalid. Raises Invalid for another format
    and for an image that is broken or above a limit.
    """
    with _decoder_errors():
        with Image.open(file, formats=_FORMATS) as image:
            format = format_of(image)
            most = limits.max_pixels * (_JPEG_FACTOR if format == "JPEG" else 1)
            _check_pixels(image, 1, most)
            if format == "PNG":
                image.verify()  # the checksums of all chunks
        file.seek(0)
        _check_end(format, file.read())
        file.seek(0)
        with Image.open(file, formats=_FORMATS) as image:
            _check_density(image, 1, file)
            if format == "JPEG":
                _decode_smaller(image, side, limits.max_pixels)
            yield image


def format_of(image: Image.Image) -> str:
    """Return PNG, JPEG, GIF or WEBP. Of a multi-picture JPEG the first image is used."""
    return "JPEG" if image.format == "MPO" else str(image.format)


def decode_frames(image: Image.Image, file: BinaryIO, limits: Limits) -> list[Frame]:
    """Decode all frames of an animated GIF or WebP, and the only or first one of other images."""
    frames: list[Frame] = []
    while True:
        try:
            image.seek(len(frames))
        except EOFError:
            break
        if len(frames) == limits.max_frames:
            refuse(f"too many frames: at most {limits.max_frames:,} are allowed")
        _check_pixels(image, len(frames) + 1, limits.max_pixels)
        _check_density(image, len(frames) + 1, file)
        image.load()
        frames.append(Frame(clean(image), int(image.info.get("duration", 0))))
        if image.format not in _ANIMATED:
            break
    if image.format == "GIF":
        file.seek(-1, os.SEEK_CUR)
        if file.read(1) != _GIF_TRAILER:
            refuse("truncated: the GIF ends before its trailer")
    return frames


def clean(image: Image.Image) -> Image.Image:
    """Return a copy of a decoded frame: upright, in sRGB, without metadata."""
    icc = image.info.get("icc_profile")
    for key in ("xmp", "XML:com.adobe.xmp"):  # Pillow would turn by them; browsers do not
        image.info.pop(key, None)
    try:
        upright = ImageOps.exif_transpose(image)
    except MemoryError:
        raise
    except Exception:  # an unreadable EXIF block may raise anything; browsers ignore it, too
        upright = image.copy()
    made = to_srgb(upright, icc)
    made.info = {key: made.info[key] for key in ("transparency",) if key in made.info}
    return made


@contextmanager
def _decoder_errors() -> Iterator[None]:
    try:
        with warnings.catch_warnings():
            # Pillow warns of metadata, which is dropped; what is broken otherwise is an error.
            warnings.simplefilter("ignore")
            yield
    except (Invalid, MemoryError):
        raise
    except UnidentifiedImageError:
        refuse(_NOT_AN_IMAGE)
    except Exception as error:  # broken data may make a decoder raise anything
        refuse(f"broken or truncated: the image cannot be decoded ({error})")


def _check_end(format: str, data: bytes) -> None:
    """Refuse a file without its end, which the decoders of PNG and JPEG do not need."""
    if format == "PNG" and _PNG_END not in data:
        refuse("truncated: the PNG ends before its IEND chunk")
    if format == "JPEG":
        _check_scans(data)


def _check_scans(data: bytes) -> None:
    """Refuse a JPEG without its end marker, and one with very many scans (ITU-T T.81, B.1)."""
    scans, position = 0, 2
    while (match := _JPEG_MARKER.search(data, position)) and match[0] != _JPEG_END:
        scans += match[0] == _JPEG_SCAN
        length = int.from_bytes(data[match.end() : match.end() + 2], "big")
        # What follows the header of a scan has no markers but those of restarts.
        position = match.end() + length
    if not match:
        refuse("truncated: the JPEG ends before its end marker")
    if scans > _MAX_SCANS:
        refuse(f"too many scans: at most {_MAX_SCANS} are allowed in a JPEG")


def _decode_smaller(image: Image.Image, side: int, max_pixels: int) -> None:
    """Let the decoder of a JPEG scale to `side`, or else as much as `max_pixels` needs."""
    width, height = image.size
    if side:
        image.draft(None, (side, side))
    elif width * height > max_pixels:
        # A half is rounded up, so with odd sides it may exceed the limit.
        scale = 2 if -(-width // 2) * -(-height // 2) <= max_pixels else 4
        image.draft(None, (width // scale, height // scale))


def _check_pixels(image: Image.Image, frames: int, max_pixels: int) -> None:
    width, height = image.size
    pixels = width * height * frames
    if pixels > max_pixels:
        in_frames = f" in {frames:,} frames" if frames > 1 else ""
        refuse(
            f"too large: {width:,} x {height:,} pixels{in_frames} are {pixels:,},"
            f" at most {max_pixels:,} are allowed"
        )


def _check_density(image: Image.Image, frames: int, file: BinaryIO) -> None:
    """Refuse a WebP or GIF of many pixels whose file is too small for its work."""
    pixels = image.width * image.height * frames
    if image.format not in _ANIMATED or pixels <= _CHEAP_PIXELS:
        return
    position = file.tell()
    size = file.seek(0, os.SEEK_END)
    file.seek(position)
    if pixels > size * _PIXELS_PER_BYTE:
        refuse(
            f"too large: {pixels:,} pixels in {size:,} bytes,"
            f" at most {_PIXELS_PER_BYTE:,} pixels a byte are allowed"
        )
