"""The four containers: PNG, JPEG, GIF and WebP, read strictly before a decoder sees them.

Each module has one `inspect(data, limits) -> Outline`: it walks the container's structure, refuses
what is broken, too large or unfinished, and says which byte ranges carry the picture itself. What
carries anything else (EXIF, XMP, comments, profiles, thumbnails, what follows the end) is left
out, so that no decoder ever parses it.
"""

from forumsvc.errors import Invalid
from forumsvc.media.formats import gif, jpeg, png, webp
from forumsvc.media.formats.header import Data, Outline
from forumsvc.media.limits import Limits

_SIGNATURES = (
    (b"\x89PNG\r\n\x1a\n", png.inspect),
    (b"\xff\xd8\xff", jpeg.inspect),
    (b"GIF87a", gif.inspect),
    (b"GIF89a", gif.inspect),
)


def inspect(data: Data, limits: Limits) -> Outline:
    """Return the outline of the picture in `data`, whose format its content alone decides.

    Raises Invalid("file", why) for what is none of the four formats, broken, or above a limit.
    """
    for signature, read in _SIGNATURES:
        if data[: len(signature)] == signature:
            return read(data, limits)
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return webp.inspect(data, limits)
    raise Invalid("file", "not a PNG, JPEG, GIF or WebP picture")
