"""The pictures of posts that are photos of the site: they keep their place while they load."""

import re
from collections.abc import Callable, Iterable

from ..media.small_versions import SMALL_WIDTH
from ..queries import photos
from ..web.api.request import ForumRequest

_PICTURE = re.compile(r'<img(?:[^">]++|"[^"]*+")*+>')
_PHOTO = re.compile(
    r' src="[^"]*/photos/(?P<name>[0-9a-f]{2}/[0-9a-f]{64}\.(?P<kind>png|jpg|gif|webp))"'
)
_STILL = ("png", "jpg")
"""The formats that never move: the small version of a photo is a still picture."""
_SIZES = "(max-width: 50rem) 92vw, 46rem"
"""How wide the column of posts is, as in style.css."""


def with_sizes(request: ForumRequest, posts: Iterable[str]) -> Callable[[str], str]:
    """Return a function that gives the photos in HTML their width, height and small version.

    posts: the HTML of all posts of the page, whose photos one SELECT finds; none where there are
    none. A picture whose author gave it a size keeps that.
    """
    found = (_PHOTO.finditer(html) for html in posts if "/photos/" in html)
    names = {match["name"] for matches in found for match in matches}
    sizes = photos.sizes(request.executor, sorted(names))

    def sized(tag: re.Match[str]) -> str:
        picture = tag[0]
        photo = _PHOTO.search(picture)
        size = None if photo is None else sizes.get(photo["name"])
        if photo is None or size is None or ' width="' in picture or ' height="' in picture:
            return picture
        width, height = size
        added = f' width="{width}" height="{height}"'
        if width > SMALL_WIDTH and photo["kind"] in _STILL:
            site, name = request.site, photo["name"]
            small, large = site.small_photo_url(name), site.photo_url(name)
            added += f' srcset="{small} {SMALL_WIDTH}w, {large} {width}w" sizes="{_SIZES}"'
        return f"{picture[:-1]}{added}>"

    return (lambda html: _PICTURE.sub(sized, html)) if sizes else (lambda html: html)
