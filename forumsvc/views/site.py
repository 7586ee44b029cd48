"""GET and PUT /site."""

from ..media.images import ProcessedImage
from ..permissions import Common, SitePermission
from ..resources.site import Site
from ..schemas.site import CHANGED_SITE
from ..services.photos import logos
from ..web import site_texts, uploads
from ..web.api.api_view import api_view
from ..web.api.request import ForumRequest
from ..web.http_cache.cache_policy import SITE
from ..web.responses.results import Kind, Shown
from ..web.site_facts import site_facts


@api_view(Site, "GET", Common.VIEW, cache_policy=SITE)
def show_site(site: Site, request: ForumRequest) -> Shown:
    """Return what clients may know of the site."""
    return Shown(Kind.SITE, site_facts(request))


def _store_logo(site: Site, request: ForumRequest) -> ProcessedImage | None:
    address = request.validated.get(logos.FIELD)
    if not address:
        return None
    owned = request.read_connection, request.actor_id, address
    return uploads.stored(request, logos.store_own, *owned)


@api_view(Site, "PUT", SitePermission.MANAGE, schema=CHANGED_SITE, prework=_store_logo)
def update_site(site: Site, request: ForumRequest) -> Shown:
    """Change the texts that the client sent, and return all of them with the facts."""
    site_texts.change(request, request.validated, request.prework)
    return Shown(Kind.SITE, {**site_facts(request), **site_texts.shown_to_admins(request)})
