"""Changing the name, the texts and the logo of the site, for the API and the pages."""

from collections.abc import Mapping
from typing import Any

from ..media.images import ProcessedImage
from ..models import SITE_FIELDS
from ..services import site_texts
from ..services.photos import logos
from .api.request import ForumRequest
from .photo_deletion import remove_file


def shown_to_admins(request: ForumRequest) -> dict[str, Any]:
    """Return the texts of the site beside its facts, with the URL of the logo, null without one."""
    texts = request.site_texts
    logo = texts.logo
    url = None if logo is None else f"{request.base_url}/static/logo?v={logo.tag}"
    return {**{item.name: getattr(texts, item.name) for item in SITE_FIELDS}, "logo_url": url}


def change(
    request: ForumRequest, values: Mapping[str, str], logo: ProcessedImage | None = None
) -> None:
    """Change texts of the site: this request shows them at once, the next one in every process.

    values: as for `site_texts.edit`, of which an empty `logo` takes the uploaded one away; logo: a
    new one, stored. The file of the former logo goes after the commit. Raises Invalid, Unavailable.
    """
    registry = request.registry
    new = dict(values)
    if logo is not None:
        new[logos.FIELD] = logos.record(request.db, registry.photo_storages, logo)
    before = site_texts.read(request.db, registry.site_texts.of_ini)
    after = site_texts.edit(
        request.db, request.actor_id_or_none, request.now, registry.site_texts.of_ini, new
    )
    request.site_texts = after
    former = before.logo and before.logo.stored
    if former and (after.logo is None or former != after.logo.stored):
        remove_file(request, former)
    request.add_finished_callback(lambda request: registry.blocked_networks.expire())
