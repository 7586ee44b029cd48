"""Static files: under `/static` and `/docs/files`, and where browsers and crawlers look for them.

With a hash of its content in the URL (`?v=`) a file is immutable; without it, caches revalidate.
"""

import mimetypes
from functools import cache
from hashlib import sha256
from typing import Any

from pyramid.config import Configurator
from pyramid.path import AssetResolver
from pyramid.response import Response
from pyramid.static import QueryStringCacheBuster, static_view

from ..permissions import Common
from ..resources.public import Public
from ..web.api.request import ForumRequest
from ..web.responses.ranges import ignore_unsatisfiable_range

_FOLDER = "forumsvc.pages:static"
_IMMUTABLE = "public, max-age=31536000, immutable"
_REVALIDATED = "public, no-cache"
_TYPES = {
    ".css": "text/css",
    ".js": "text/javascript",
    ".png": "image/png",
    ".ico": "image/vnd.microsoft.icon",
    ".txt": "text/plain",
}
"""Media types by file extension; the answers of `mimetypes` alone depend on the machine."""


class ContentHashBuster(QueryStringCacheBuster):
    """Adds a hash of the file's content to its URL."""

    def __init__(self) -> None:
        super().__init__(param="v")

    def tokenize(self, request: ForumRequest, subpath: str, kw: dict[str, Any]) -> str:
        """Return the hash of the file with this asset specification."""
        return content_hash(kw["rawspec"])


@cache
def content_hash(spec: str) -> str:
    """Return a hash of a file's content; it is read once. spec: `package:path`."""
    with AssetResolver().resolve(spec).stream() as file:
        return sha256(file.read()).hexdigest()[:12]


def asset_path(request: ForumRequest, name: str) -> str:
    """Return the path of a file of the folder `static`; `static_path` takes ten times as long."""
    return f"{request.script_name}/static/{name}?v={content_hash(f'{_FOLDER}/{name}')}"


def static_file_deriver(view: Any, info: Any) -> Any:
    """Add the entity tag and the caching headers to the responses of Pyramid's static views.

    The tag is the hash, because the time of a file depends on the machine that installed it.
    """
    files = info.original_view
    if not isinstance(files, static_view):
        return view

    def static_file(context: Any, request: ForumRequest) -> Response:
        requested_hash = request.parameters.get("v")
        response = view(context, request)
        response.etag = content_hash(f"{files.package_name}:{files.get_resource_name(request)}")
        response.last_modified = None
        is_versioned = response.etag == requested_hash
        response.headers["Cache-Control"] = _IMMUTABLE if is_versioned else _REVALIDATED
        response.headers["X-Content-Type-Options"] = "nosniff"
        ignore_unsatisfiable_range(request, response.content_length)
        return response

    return static_file


def _add_file_at_root(config: Configurator, path: str) -> None:
    """Serve a file of the folder `static` under its path there, without `/static`."""
    config.add_route(path, path, factory=Public)
    config.add_view(
        static_view(_FOLDER, cache_max_age=None),
        route_name=path,
        request_method="GET",
        permission=Common.VIEW,
    )


def _add_folder(config: Configurator, name: str, folder: str) -> None:
    """Serve a folder. name: the path of its URL; folder: its asset specification."""
    config.add_static_view(
        name, folder, factory=Public, request_method="GET", permission=Common.VIEW
    )
    config.add_cache_buster(folder, ContentHashBuster())


def includeme(config: Configurator) -> None:
    for extension, media_type in _TYPES.items():
        mimetypes.add_type(media_type, extension)
    config.add_view_deriver(static_file_deriver, name="static_file")
    _add_folder(config, "static", _FOLDER)
    _add_file_at_root(config, "/favicon.ico")
    settings = config.registry.forum_settings
    if settings["docs.enabled"]:
        _add_folder(config, "docs/files", "forumsvc.pages.docs:files")
        # The style sheet of rendered Markdown, which clients may use, too.
        _add_file_at_root(config, "/docs/content.css")
    # The forum's pages have one with the address of the sitemap.
    if not settings["pages.forum"]:
        _add_file_at_root(config, "/robots.txt")
