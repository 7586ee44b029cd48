"""What a community gives its pages: a logo and a color of its own."""

from base64 import b64encode
from functools import lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

from pyramid.config import Configurator
from pyramid.response import Response

from ..errors import NotFound
from ..permissions import Common
from ..resources.public import Public
from ..services.photos.photos import storage_failures
from . import colors

if TYPE_CHECKING:
    from ..web.api.request import ForumRequest

_SVG = "image/svg+xml"


class Style(NamedTuple):
    """A style sheet with the color of the site, or nothing.

    source: which styles the content security policy of the pages allows.
    """

    text: str = ""
    source: str = "'self'"


@lru_cache(8)
def style_of(accent: str) -> Style:
    """Return the style of an accent, made readable in the light and in the dark theme."""
    if not accent:
        return Style()
    light, dark = (colors.readable_on(accent, ground) for ground in colors.GROUNDS.values())
    on_light, on_dark = map(colors.text_on, (light, dark))
    text = (
        f":root{{--accent:light-dark({light},{dark});--on-accent:light-dark({on_light},{on_dark})}}"
    )
    digest = b64encode(sha256(text.encode()).digest()).decode()
    return Style(text, f"'self' 'sha256-{digest}'")


def logo_path(request: "ForumRequest", *, is_raster: bool = False) -> str | None:
    """Return the path of the logo; another logo has another one. None without a logo.

    is_raster: None for an SVG, too, which phones and other sites do not show.
    """
    logo = request.site_texts.logo
    if logo is None or (is_raster and logo.media_type == _SVG):
        return None
    return f"{request.route_path('logo')}?v={logo.tag}"


def show_logo(context: Public, request: "ForumRequest") -> Response:
    """Return the logo. Raises NotFound, Unavailable."""
    logo = request.site_texts.logo
    if logo is None:
        raise NotFound("There is nothing here.")
    body = logo.body
    if logo.stored:
        # Not from the address of a bucket, which the policy of most pages does not allow.
        storages = request.registry.photo_storages
        with storage_failures(), storages.open(request.executor, logo.stored) as file:
            body = file.read()
    response = Response(body, content_type=logo.media_type, etag=logo.tag)
    is_current = request.parameters.get("v") == logo.tag
    response.cache_control = "public, max-age=31536000, immutable" if is_current else "no-cache"
    # An SVG that somebody opens by itself runs no script.
    response.headers["Content-Security-Policy"] = "default-src 'none'; style-src 'unsafe-inline'"
    response.headers["X-Content-Type-Options"] = "nosniff"
    return response


def includeme(config: Configurator) -> None:
    config.add_route("logo", "/static/logo", factory=Public)
    config.add_view(show_logo, route_name="logo", request_method="GET", permission=Common.VIEW)
