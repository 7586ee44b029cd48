"""Small square images, for avatars."""

from typing import BinaryIO

from PIL import Image

from forumsvc.media.color import srgb_converter
from forumsvc.media.decode import open_image, run_decoder
from forumsvc.media.formats import read_header
from forumsvc.media.formats.gif import GifHeader
from forumsvc.media.formats.header import Data, ImageHeader
from forumsvc.media.frames import apply_orientation, read_orientation
from forumsvc.media.gif import frame_indices
from forumsvc.media.limits import Limits
from forumsvc.media.reencode import EncodedImage

SIDE = 240
"""Width and height of a thumbnail in pixels."""

_QUALITY = 85
_MAX_INTERMEDIATE_SIDE = 4 * SIDE


def write_thumbnail(data: Data, out: BinaryIO, limits: Limits) -> EncodedImage:
    """Write the middle square of an image's first frame, SIDE x SIDE pixels.

    Writes a JPEG, or a PNG if the image has transparency. Raises the same as `reencode`.
    """
    header = read_header(data, limits)
    small = _shrink(data, header)
    if small.mode == "RGBA":
        small.save(out, "PNG")
    else:
        small.save(out, "JPEG", quality=_QUALITY)
    return EncodedImage("PNG" if small.mode == "RGBA" else "JPEG", SIDE, SIDE, 1)


def _shrink(data: Data, header: ImageHeader) -> Image.Image:
    """Return the thumbnail, upright and in sRGB, as RGB or RGBA."""
    if isinstance(header, GifHeader):
        return _to_final_size(_square(_first_frame(data, header)))
    with open_image(data, header) as image:
        # A JPEG can be decoded at a fraction of its size; other decoders ignore this.
        image.draft(image.mode, (2 * SIDE, 2 * SIDE))
        run_decoder(image.load)
        small = _square(image)
    convert = srgb_converter(header.icc, small.mode)
    if convert:
        small = convert(small)
    return apply_orientation(_to_final_size(small), read_orientation(header.exif))


def _square(image: Image.Image) -> Image.Image:
    """Return the middle square, at most _MAX_INTERMEDIATE_SIDE wide, in the image's own mode.

    All pixels are averaged only if that needs no second image of full size: modes with
    transparency or a palette are first subsampled.
    """
    width, height = image.size
    side = min(width, height)
    left, top = (width - side) // 2, (height - side) // 2
    box = (left, top, left + side, top + side)
    if image.mode in ("L", "RGB", "CMYK"):
        return image.resize((SIDE, SIDE), Image.Resampling.LANCZOS, box)
    small = min(side, _MAX_INTERMEDIATE_SIDE)
    return image.resize((small, small), Image.Resampling.NEAREST, box)


def _to_final_size(small: Image.Image) -> Image.Image:
    """Return the square at its final size, as RGB, or RGBA if a pixel is transparent."""
    if small.mode == "I;16":
        small = small.point(lambda value: value / 256).convert("L")
    small = small.convert("RGBA" if small.has_transparency_data else "RGB")
    if small.size != (SIDE, SIDE):
        small = small.resize((SIDE, SIDE), Image.Resampling.LANCZOS)
    if small.mode == "RGBA" and small.getchannel("A").getextrema() == (255, 255):
        return small.convert("RGB")
    return small


def _first_frame(data: Data, header: GifHeader) -> Image.Image:
    """Return the first frame at its position on the canvas, as mode P."""
    frame = header.frame_headers[0]
    transparent = frame.control[3] if frame.control and frame.control[0] & 1 else None
    canvas = Image.new("P", (header.width, header.height), transparent or 0)
    canvas.paste(frame_indices(data, frame), (frame.left, frame.top))
    canvas.putpalette(frame.color_table or header.color_table, "RGB")
    if transparent is not None:
        canvas.info["transparency"] = transparent
    return canvas
