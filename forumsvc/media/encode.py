"""Encodes decoded images again, in the format that they had. Runs in the sandbox."""

from dataclasses import dataclass
from io import BytesIO
from typing import Any, BinaryIO

from PIL import Image, JpegImagePlugin

from forumsvc.media.decode import Frame, decode_frames, format_of, open_image, refuse
from forumsvc.media.limits import Limits

# Bits of chance take longest to compress: half a second for each megapixel with transparency.
_FULL_COMPRESSION_PIXELS = 2_500_000
# libwebp needs up to 60 bytes for each pixel of a frame, and 0.15 s for each megapixel.
_MAX_WEBP_PIXELS = 4_000_000
# About a second: the frames of an animation are encoded several times to find the smallest form.
_MAX_WEBP_ANIMATION_PIXELS = 15_000_000
_WEBP_QUALITY = 85
_JPEG_QUALITY = 90
_SUBSAMPLING_444, _SUBSAMPLING_422 = 0, 1
_KEEP_FRAME, _CLEAR_FRAME = 1, 2
_MAX_GIF_DURATION = 655_350
"""Milliseconds of a frame: 16 bits of hundredths of a second."""


@dataclass(frozen=True)
class EncodedImage:
    """The result: format (PNG, JPEG, GIF, WEBP), width and height in pixels, frames."""

    format: str
    width: int
    height: int
    frames: int


def reencode(file: BinaryIO, out: BinaryIO, limits: Limits) -> EncodedImage:
    """Write the image in `file` to `out`, re-encoded, and return its properties.

    The format stays the same, except for a WebP of more than 4 million pixels, which would take
    much memory and time to encode: that becomes a JPEG, or a PNG if it is lossless or transparent;
    an animated one is refused. Of an animated PNG the default image is used.
    Raises Invalid("file", reason) if the image is refused, OSError if `out` cannot be written.
    """
    with open_image(file, limits) as image:
        frames = decode_frames(image, file, limits)
        format, options = _encoder(image, file, frames)
    encoded = BytesIO()
    first, *others = [frame.image for frame in frames]
    if others:
        options |= {"save_all": True, "append_images": others}
    first.save(encoded, format, **options)
    out.write(encoded.getbuffer())
    encoded.seek(0)
    with Image.open(encoded) as made:  # an encoder joins equal frames
        return EncodedImage(format, *made.size, getattr(made, "n_frames", 1))


def _encoder(image: Image.Image, file: BinaryIO, frames: list[Frame]) -> tuple[str, dict[str, Any]]:
    """Return the format to encode in and the encoder's options, as far as possible those of the
    source.
    """
    format, pixels = format_of(image), image.width * image.height
    if isinstance(image, JpegImagePlugin.JpegImageFile):
        return format, _jpeg_options(image, frames[0].image)
    if format == "PNG":
        return format, _png_options(pixels)
    animation = _animation_options(image, frames) if len(frames) > 1 else {}
    if format == "GIF":
        return format, animation
    total = pixels * len(frames)
    if animation and total > _MAX_WEBP_ANIMATION_PIXELS:
        refuse(
            f"too large: {len(frames):,} frames of {total:,} pixels together,"
            f" at most {_MAX_WEBP_ANIMATION_PIXELS:,} are allowed in an animated WebP"
        )
    lossless = _is_lossless(file)
    if pixels > _MAX_WEBP_PIXELS:
        if animation:
            refuse(f"too large: a frame of {pixels:,} pixels, at most {_MAX_WEBP_PIXELS:,}")
        if lossless or image.mode == "RGBA":
            return "PNG", _png_options(pixels)
        return "JPEG", {"quality": _JPEG_QUALITY}
    # `exact` keeps the colors of fully transparent pixels.
    quality = {"quality": 50, "exact": True} if lossless else {"quality": _WEBP_QUALITY}
    return format, {"lossless": lossless, "method": 0 if animation else 4} | quality | animation


def _png_options(pixels: int) -> dict[str, Any]:
    return {"compress_level": 6 if pixels <= _FULL_COMPRESSION_PIXELS else 2}


def _animation_options(image: Image.Image, frames: list[Frame]) -> dict[str, Any]:
    """Return how the frames follow each other."""
    options: dict[str, Any] = {"duration": [frame.duration for frame in frames]}
    if "loop" in image.info:
        options["loop"] = image.info["loop"]
    if image.format == "WEBP":
        return options | {"background": image.info["background"]}
    options["duration"] = _gif_durations(frames)
    see_through = any(frame.image.has_transparency_data for frame in frames)
    return options | {"disposal": _CLEAR_FRAME if see_through else _KEEP_FRAME}


def _gif_durations(frames: list[Frame]) -> list[int]:
    """Return the durations in milliseconds, cut where equal frames become one that is too long."""
    durations: list[int] = []
    total, is_long = 0, sum(frame.duration for frame in frames) > _MAX_GIF_DURATION
    for before, frame in zip([None, *frames], frames, strict=False):
        # Comparing takes time.
        is_equal = is_long and before is not None and before.image == frame.image
        total = total if is_equal else 0
        durations.append(min(frame.duration, _MAX_GIF_DURATION - total))
        total += durations[-1]
    return durations


def _is_lossless(file: BinaryIO) -> bool:
    """Return whether a WebP has lossless frames only (RFC 9649, §2.6); Pillow does not say."""
    file.seek(0)
    data = file.read()
    return b"VP8L" in data and b"VP8 " not in data


def _jpeg_options(image: JpegImagePlugin.JpegImageFile, upright: Image.Image) -> dict[str, Any]:
    """Return the source's quantization and sampling: re-encoding with them loses the least."""
    tables = [image.quantization[number] for number in sorted(image.quantization)]
    sampling = JpegImagePlugin.get_sampling(image)
    if image.mode == "CMYK" or max(max(table) for table in tables) > 255:
        return {"quality": _JPEG_QUALITY, "subsampling": _SUBSAMPLING_444}
    if sampling < 0 or (upright.size != image.size and sampling == _SUBSAMPLING_422):
        sampling = _SUBSAMPLING_444
    return {"qtables": tables, "subsampling": sampling}
