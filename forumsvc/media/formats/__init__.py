"""The four container formats: PNG, JPEG, GIF and WebP, parsed strictly before a decoder sees them.

Each module has one `read_header(data, limits) -> ImageHeader`. It walks the structure of the
container, refuses what is broken, too large or incomplete, and records which byte ranges carry the
image data. Everything else (EXIF, XMP, comments, profiles, thumbnails, bytes after the end) is left
out, so that no decoder ever parses it.
"""

from forumsvc.errors import Invalid
from forumsvc.media.formats import gif, jpeg, png, webp
from forumsvc.media.formats.header import Data, ImageHeader
from forumsvc.media.limits import Limits

_SIGNATURES = (
    (b"\x89PNG\r\n\x1a\n", png.read_header),
    (b"\xff\xd8\xff", jpeg.read_header),
    (b"GIF87a", gif.read_header),
    (b"GIF89a", gif.read_header),
)


def read_header(data: Data, limits: Limits) -> ImageHeader:
    """Return the header of the image in `data`; its content alone decides the format.

    Raises Invalid("file", reason) for another format, and for data that is broken or above a
    limit.
    """
    for signature, read_format in _SIGNATURES:
        if data[: len(signature)] == signature:
            return read_format(data, limits)
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return webp.read_header(data, limits)
    raise Invalid("file", "not a PNG, JPEG, GIF or WebP picture")
