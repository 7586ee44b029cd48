"""Decodes and re-encodes an image.

Runs in the worker process: it holds a whole image in memory and trusts decoders written in C.
"""

from dataclasses import dataclass
from typing import Any, BinaryIO

from PIL import Image, JpegImagePlugin

from forumsvc.media.color import srgb_converter
from forumsvc.media.decode import open_image, run_decoder
from forumsvc.media.formats import read_header
from forumsvc.media.formats.gif import GifHeader
from forumsvc.media.formats.header import Data, ImageHeader
from forumsvc.media.frames import SIDEWAYS, FrameBuffer, read_orientation
from forumsvc.media.gif import reencode_gif
from forumsvc.media.limits import Limits
from forumsvc.media.spooled_animation import SpooledAnimation

_FULL_COMPRESSION_PIXELS = 4_000_000
# Bytes for each pixel that libwebp's encoder and Pillow's image need: measured, with a margin.
_WEBP_LOSSY_COST, _WEBP_LOSSLESS_COST, _WEBP_ALPHA_COST = 24, 36, 44
_WEBP_QUALITY = 85
_JPEG_QUALITY = 90
_SUBSAMPLING_444 = 0


@dataclass(frozen=True)
class EncodedImage:
    """The result: format (PNG, JPEG, GIF, WEBP), width and height in pixels, frames."""

    format: str
    width: int
    height: int
    frames: int


def reencode(data: Data, out: BinaryIO, limits: Limits) -> EncodedImage:
    """Write the image in `data` to `out`, re-encoded, and return its properties.

    The format stays the same, except for a WebP that cannot be encoded as WebP within
    `limits.max_memory`: that becomes a JPEG, or a PNG if it is lossless or transparent. Of an
    animated PNG the default image is used.
    Raises Invalid("file", reason) if the image is refused, OSError if `out` or a temporary file
    cannot be written.
    """
    header = read_header(data, limits)
    if isinstance(header, GifHeader):
        reencode_gif(data, header, out)
        return EncodedImage("GIF", header.width, header.height, header.frames)
    with FrameBuffer() as buffer:
        with open_image(data, header) as image:
            options = _buffer_frames(buffer, image, header)
        # Two whole images do not fit into memory: free the decoder's before encoding.
        del image
        return _encode(buffer, header, options, out, limits)


def _buffer_frames(buffer: FrameBuffer, image: Image.Image, header: ImageHeader) -> dict[str, Any]:
    """Copy every frame into the buffer; return the options of the encoder."""
    orientation = read_orientation(header.exif)
    mode = _mode_for_conversion(image)
    options = _encoder_options(image, orientation, header)
    convert = srgb_converter(header.icc, mode)

    def finish(band: Image.Image) -> Image.Image:
        band = band if band.mode == mode else band.convert(mode)
        return convert(band) if convert and mode != "P" else band

    for frame in range(header.frames):
        run_decoder(_load, image, frame)
        if header.frames > 1:
            options["duration"].append(image.info["duration"])
        buffer.add(image, orientation, finish)
    if mode == "P":
        options["palette"] = (convert(image) if convert else image).getpalette("RGB")
    return options


def _mode_for_conversion(image: Image.Image) -> str:
    """Return the image's mode, or one with an alpha channel if a color stands for transparency.

    After a color conversion that color would have no meaning.
    """
    key = image.info.get("transparency")
    if image.mode == "RGB" and isinstance(key, tuple):
        # The decoder keeps 8 of 16 bits a sample, so the transparent color is no longer exact.
        return "RGBA" if max(key) <= 255 else "RGB"
    return "LA" if image.mode in ("1", "L") and isinstance(key, int) else image.mode


def _load(image: Image.Image, frame: int) -> None:
    image.seek(frame)
    image.load()


def _encoder_options(image: Image.Image, orientation: int, header: ImageHeader) -> dict[str, Any]:
    """Return what the encoder keeps of the source: transparency, JPEG tables, loop count."""
    if isinstance(image, JpegImagePlugin.JpegImageFile):
        return _jpeg_options(image, orientation)
    if header.format == "WEBP" and header.frames > 1:
        background = image.info["background"]
        return {"duration": [], "loop": image.info["loop"], "background": background}
    if image.mode in ("P", "I;16") and "transparency" in image.info:
        return {"transparency": image.info["transparency"]}
    return {}


def _jpeg_options(image: JpegImagePlugin.JpegImageFile, orientation: int) -> dict[str, Any]:
    """Return the source's quantization and sampling: re-encoding with them loses the least."""
    tables = [image.quantization[number] for number in sorted(image.quantization)]
    sampling = JpegImagePlugin.get_sampling(image)
    if image.mode == "CMYK" or max(max(table) for table in tables) > 255:
        return {"quality": _JPEG_QUALITY, "subsampling": _SUBSAMPLING_444}
    if sampling < 0 or (orientation in SIDEWAYS and sampling == 1):
        sampling = _SUBSAMPLING_444
    return {"qtables": tables, "subsampling": sampling}


def _encode(
    buffer: FrameBuffer, header: ImageHeader, options: dict[str, Any], out: BinaryIO, limits: Limits
) -> EncodedImage:
    width, height = buffer.size
    format = header.format
    if format == "WEBP" and buffer.frame_count > 1:
        animation = SpooledAnimation(buffer)
        animation.save(out, "WEBP", save_all=True, method=2, **_webp_options(header), **options)
        return EncodedImage("WEBP", width, height, buffer.frame_count)
    canvas = buffer.image()
    if canvas.mode == "P":
        canvas.putpalette(options.pop("palette"), "RGB")
    if format == "WEBP":
        has_alpha = canvas.mode == "RGBA"
        cost = (
            _WEBP_LOSSLESS_COST
            if header.lossless
            else _WEBP_ALPHA_COST
            if has_alpha
            else _WEBP_LOSSY_COST
        )
        if cost * width * height <= limits.max_memory:
            canvas.save(out, "WEBP", **_webp_options(header), method=4)
        else:
            format = "PNG" if header.lossless or has_alpha else "JPEG"
            options = {"quality": _JPEG_QUALITY} if format == "JPEG" else {}
    if format == "JPEG":
        canvas.save(out, "JPEG", **options)
    elif format == "PNG":
        level = 6 if width * height <= _FULL_COMPRESSION_PIXELS else 2
        canvas.save(out, "PNG", compress_level=level, **options)
    return EncodedImage(format, width, height, 1)


def _webp_options(header: ImageHeader) -> dict[str, Any]:
    """Encode like the source. `exact` keeps the colors of fully transparent pixels."""
    if header.lossless:
        return {"lossless": True, "quality": 50, "exact": True}
    return {"quality": _WEBP_QUALITY}
