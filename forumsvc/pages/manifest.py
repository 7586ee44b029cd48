"""What a phone needs to keep the forum like an application: its name, colors and picture."""

from pyramid.config import Configurator
from pyramid.response import Response

from ..permissions import Common
from ..resources.public import Public
from ..web.api.request import ForumRequest
from .branding import logo_path
from .colors import GROUNDS
from .static_files import asset_path


def show_manifest(context: Public, request: ForumRequest) -> Response:
    """Return the web application manifest (w3.org/TR/appmanifest)."""
    logo, address = request.site_texts.logo, logo_path(request)
    icon = {"src": asset_path(request, "forum.png"), "sizes": "512x512", "type": "image/png"}
    if logo is not None and address is not None:
        icon = {"src": address, "sizes": "any", "type": logo.media_type}
    name = request.site_texts.name
    home = request.route_path("home")
    manifest = {
        "name": name,
        "short_name": name,
        "id": home,
        "start_url": home,
        "display": "minimal-ui",
        "background_color": GROUNDS["light"],
        "theme_color": GROUNDS["light"],
        "icons": [icon],
    }
    response = Response(json_body=manifest, content_type="application/manifest+json")
    response.cache_control = "public, no-cache"
    response.headers["X-Content-Type-Options"] = "nosniff"
    return response


def includeme(config: Configurator) -> None:
    config.add_route("manifest", "/static/manifest", factory=Public)
    config.add_view(
        show_manifest, route_name="manifest", request_method="GET", permission=Common.VIEW
    )
