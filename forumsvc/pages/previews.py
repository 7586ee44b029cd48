"""What a page says of itself to search engines and to applications that preview links.

Open Graph (ogp.me), and schema.org's DiscussionForumPosting as JSON-LD.
"""

import html
import re
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urljoin, urlsplit

import orjson
from markupsafe import Markup

from ..markup.text_content import text_content, without_details
from ..queries.rows import TopicRow
from ..text.unicode_forms import character_border
from ..web.api.request import ForumRequest
from .branding import logo_path
from .paths import absolute_url, topic_path, user_path
from .static_files import asset_path

_LENGTH = 200
_PICTURE = re.compile(r'<img [^>]*?src="([^"]+)"')
# What ends a script element, and what other programs may take for markup.
_UNSAFE_IN_SCRIPT = {ord(character): f"\\u{ord(character):04x}" for character in "<>&\u2028\u2029"}


@dataclass(frozen=True, slots=True)
class Preview:
    """A page in a few words.

    site: its name; address, image: absolute URLs; properties: further ones of og:type.
    """

    site: str
    title: str
    description: str
    address: str
    image: str | None = None
    type: str = "website"
    properties: dict[str, str] = field(default_factory=dict)
    json_ld: Markup | None = None


def beginning(text: str, length: int = _LENGTH) -> str:
    """Return the beginning of a text on one line, cut between words, else between characters."""
    line = " ".join(text.split())
    if len(line) <= length:
        return line
    end = line.rfind(" ", 0, length)
    if end <= length // 2:
        end = character_border(line, length - 1)
    return f"{line[:end]}…"


def topic_preview(request: ForumRequest, row: TopicRow, page: int, image: str) -> Preview:
    """Return the preview of a topic. page: which of its replies; image: the author's avatar."""
    path = topic_path(request, row.id)
    address = absolute_url(request, path)
    shown = without_details(row.body_html)
    description = beginning(text_content(shown)) or row.title
    picture = picture_of_page(request, image)
    if match := _PICTURE.search(shown):
        with suppress(ValueError):  # an address that no browser opens either: https://[/
            picture = picture_of_page(request, urljoin(address, html.unescape(match[1])))
    posting: dict[str, Any] = {
        "@context": "https://schema.org",
        "@type": "DiscussionForumPosting",
        "headline": row.title,
        "text": description,
        "url": address,
        "datePublished": row.created_at.isoformat(),
        "dateModified": row.updated_at.isoformat(),
        "author": {
            "@type": "Person",
            "name": row.user_login,
            "url": absolute_url(request, user_path(request, row.user_login)),
        },
        "interactionStatistic": [
            _count("LikeAction", row.likes_count),
            _count("CommentAction", row.replies_count),
        ],
    }
    script = orjson.dumps(posting).decode().translate(_UNSAFE_IN_SCRIPT)
    return Preview(
        request.site_texts.name,
        row.title,
        description,
        f"{address}?page={page}" if page > 1 else address,
        picture,
        "article",
        {
            "article:published_time": row.created_at.isoformat(),
            "article:modified_time": row.updated_at.isoformat(),
            "article:section": row.node_name,
        },
        # No character of it means anything in HTML.
        Markup(script),  # noqa: S704
    )


def picture_of_page(request: ForumRequest, picture: str) -> str:
    """Return the address of a picture for a preview: of the site instead where it is an SVG.

    No network shows SVG. picture: absolute.
    """
    return site_picture(request) if urlsplit(picture).path.endswith(".svg") else picture


def site_picture(request: ForumRequest) -> str:
    """Return the absolute address of the site's logo, or of our own picture without one."""
    path = logo_path(request, is_raster=True) or asset_path(request, "forum.png")
    return absolute_url(request, path)


def _count(action: str, number: int) -> dict[str, Any]:
    return {
        "@type": "InteractionCounter",
        "interactionType": f"https://schema.org/{action}",
        "userInteractionCount": number,
    }
