"""What clients may know of the site before they ask for anything else: the answer of GET /site."""

from hashlib import blake2b
from typing import Any

from ..clock import rfc3339
from ..media.storage import MEDIA_TYPES
from ..openapi import API_VERSION
from ..permissions import Scope
from ..services.accounts import registration
from ..settings import Settings
from ..text.languages import LANGUAGES
from .api.request import ForumRequest
from .limits.rate_limiter import Rate

_RATES = (
    *("requests", "writes", "application_requests", "application_writes"),
    *("token", "reports", "searches"),
)
"""The names of the settings `rate_limit.…`."""
_DIGEST_BYTES = 8


def site_facts(request: ForumRequest) -> dict[str, Any]:
    """Return the facts of the site, with the time of the request."""
    return {**_constant_facts(request), "time": rfc3339(request.now)}


def site_version(request: ForumRequest) -> int:
    """Return a number that changes with the facts, and not with the time."""
    shown = repr(_constant_facts(request)).encode()
    return int.from_bytes(blake2b(shown, digest_size=_DIGEST_BYTES).digest())


def _constant_facts(request: ForumRequest) -> dict[str, Any]:
    settings = request.settings
    return {
        "name": request.site_texts.name,
        "tagline": request.site_texts.tagline,
        "languages": [*LANGUAGES],
        "api_version": API_VERSION,
        "limits": _limits(settings),
        "scopes": [*Scope],
        "registration_open": registration.is_open(request.site_texts),
        "urls": _urls(settings, request.base_url),
    }


def _limits(settings: Settings) -> dict[str, Any]:
    return {
        "title": settings["posts.max_title"],
        "text": settings["posts.max_body"],
        "photos": {
            "bytes": settings["photos.max_bytes"],
            "pixels": settings["photos.max_pixels"],
            "frames": settings["photos.max_frames"],
            "quota": settings["photos.quota"] or None,
            "media_types": [*MEDIA_TYPES.values()],
        },
        "rates": {name: _rate(settings[f"rate_limit.{name}"]) for name in _RATES},
    }


def _rate(text: str | None) -> dict[str, int] | None:
    return None if text is None else Rate.parse(text)._asdict()


def _urls(settings: Settings, base_url: str) -> dict[str, str | None]:
    has_pages, has_docs = settings["pages.forum"], settings["docs.enabled"]
    return {
        "pages": f"{base_url}/" if has_pages else None,
        "feeds": f"{base_url}/topics/feed.xml" if has_pages else None,
        "description": f"{base_url}/api/v3/openapi.json",
        "guide": f"{base_url}/docs/guide" if has_docs else None,
    }
