"""What a community gives its pages: a logo, a color, and texts of its own."""

from base64 import b64encode
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from pyramid.config import Configurator
from pyramid.response import Response

from ..errors import NotFound
from ..permissions import Common
from ..resources.public import Public
from ..settings import Settings, SettingsError
from . import colors

if TYPE_CHECKING:
    from ..web.api.request import ForumRequest

LOGO_TYPES = {".png": "image/png", ".svg": "image/svg+xml", ".webp": "image/webp"}
TEXTS = ("about", "rules", "privacy")
"""The pages whose text is a file of Markdown, `site.about` and so on."""


@dataclass(frozen=True, slots=True)
class Logo:
    """A picture beside the name of the site. tag: a hash of its bytes."""

    body: bytes
    media_type: str
    tag: str


@dataclass(frozen=True, slots=True)
class Branding:
    """What the pages of a community have.

    texts: Markdown by the name of its page; footer: a line of it; style: a style sheet with the
    color, or nothing.
    """

    logo: Logo | None = None
    texts: dict[str, str] = field(default_factory=dict)
    footer: str = ""
    style: str = ""
    style_source: str = "'self'"
    """Which styles the content security policy of the pages allows."""


def branding_from_settings(settings: Settings, ini_dir: Path) -> Branding:
    """Return the branding in the settings; relative paths begin at the folder of the ini file.

    Raises SettingsError if a file cannot be read.
    """
    logo = None
    if name := settings["site.logo"]:
        media_type = LOGO_TYPES.get(Path(name).suffix.lower())
        if media_type is None:
            raise SettingsError(f"site.logo: {name!r} must be a .png, .svg or .webp file")
        body = _read("site.logo", ini_dir / name)
        logo = Logo(body, media_type, sha256(body).hexdigest()[:12])
    texts = {}
    for page in TEXTS:
        if path := settings[f"site.{page}"]:
            try:
                texts[page] = _read(f"site.{page}", ini_dir / path).decode()
            except UnicodeDecodeError:
                raise SettingsError(f"site.{page}: {path!r} must be in UTF-8") from None
    style = _style(settings["site.accent"])
    digest = b64encode(sha256(style.encode()).digest()).decode()
    return Branding(
        logo,
        texts,
        settings["site.footer"],
        style,
        f"'self' 'sha256-{digest}'" if style else "'self'",
    )


def _read(setting: str, path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise SettingsError(f"{setting}: {path} cannot be read ({error.strerror})") from None


def _style(accent: str) -> str:
    """Return the style of an accent, made readable in the light and in the dark theme."""
    if not accent:
        return ""
    light, dark = (colors.readable_on(accent, ground) for ground in colors.GROUNDS.values())
    on_light, on_dark = map(colors.text_on, (light, dark))
    return (
        f":root{{--accent:light-dark({light},{dark});--on-accent:light-dark({on_light},{on_dark})}}"
    )


def show_logo(context: Public, request: "ForumRequest") -> Response:
    """Return the logo. Raises NotFound."""
    logo = request.registry.branding.logo
    if logo is None:
        raise NotFound("There is nothing here.")
    response = Response(logo.body, content_type=logo.media_type, etag=logo.tag)
    is_current = request.parameters.get("v") == logo.tag
    response.cache_control = "public, max-age=31536000, immutable" if is_current else "no-cache"
    # An SVG that somebody opens by itself runs no script.
    response.headers["Content-Security-Policy"] = "default-src 'none'; style-src 'unsafe-inline'"
    response.headers["X-Content-Type-Options"] = "nosniff"
    return response


def includeme(config: Configurator) -> None:
    config.add_route("logo", "/static/logo", factory=Public)
    config.add_view(show_logo, route_name="logo", request_method="GET", permission=Common.VIEW)
