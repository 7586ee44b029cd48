"""Uploading, listing and deleting photos; serving photos and letter avatars."""

from pyramid.config import Configurator
from pyramid.httpexceptions import HTTPFound
from pyramid.response import FileIter, Response

from ..errors import NotFound, RateLimited
from ..media.avatars import letter_avatar
from ..media.small_versions import SMALL, media_type
from ..media.storage import check_name, media_type_of
from ..permissions import Common, PhotoPermission
from ..queries import photos as reading
from ..resources.photos import PhotoItem, Photos
from ..resources.public import Public
from ..schemas.paging import PAGED
from ..schemas.photos import PHOTO_FORM
from ..services.photos import photos, small_versions
from ..services.photos.storage import PhotoStorages
from ..text.ids import is_login
from ..web import photo_deletion, uploads
from ..web.api.api_view import api_view
from ..web.api.request import ForumRequest
from ..web.responses.ranges import ignore_unsatisfiable_range
from ..web.responses.results import Kind, Listing, Ok, Uploaded

_IMMUTABLE = "public, max-age=31536000, immutable"
_DAY = "public, max-age=86400"
_FAILED_BYTES = 300
"""About what it takes in the page cache that a photo has no small version."""
# Whatever type a browser takes the bytes for, it runs no script and loads nothing.
_SANDBOX_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "cross-origin",
}


@api_view(Photos, "POST", PhotoPermission.CREATE, schema=PHOTO_FORM)
def upload_photo(container: Photos, request: ForumRequest) -> Uploaded:
    with uploads.stored_photo(request, request.validated["file"].file) as image:
        name = uploads.record(request, image)
    row = reading.by_name(request.db, request.actor_id, name)
    return Uploaded(row, request.photo_url(name, request.registry.photo_storages.default))


@api_view(Photos, "GET", PhotoPermission.VIEW_OWN, schema=PAGED)
def list_photos(container: Photos, request: ForumRequest) -> Listing:
    """List the caller's photos, the newest first."""
    result, cursors = reading.page_of(request.db, request.actor_id, request.page)
    return Listing(Kind.PHOTO, "photos", result, cursors)


@api_view(PhotoItem, "DELETE", PhotoPermission.DESTROY)
def delete_photo(item: PhotoItem, request: ForumRequest) -> Ok:
    """Delete a photo, and its bytes unless another user has them."""
    photo_deletion.delete(request, item.row)
    return Ok()


def serve_photo(context: Public, request: ForumRequest) -> Response:
    """Serve a stored photo. The bytes under a name never change."""
    name = "{folder}/{name}".format(**request.matchdict)
    check_name(name)
    storages: PhotoStorages = request.registry.photo_storages
    with photos.storage_failures():
        file = storages.find(request.executor, name)
    if isinstance(file, str):
        return HTTPFound(file)
    length = file.seek(0, 2)
    file.seek(0)
    ignore_unsatisfiable_range(request, length)
    response = Response(
        content_type=media_type_of(name),
        app_iter=FileIter(file),
        content_length=length,
    )
    response.headers.update(_SANDBOX_HEADERS, **{"Cache-Control": _IMMUTABLE})
    response.etag = name
    response.conditional_response = True
    return response


def serve_small_photo(context: Public, request: ForumRequest) -> Response:
    """Serve the small version of a stored photo, which is made at the first request."""
    name = "{folder}/{name}".format(**request.matchdict)
    check_name(name)
    registry = request.registry
    limits = registry.photo_decoding.limits
    failed = "no small photo", name
    if request.page_cache.peek(failed, limits):
        return serve_photo(context, request)
    try:
        with registry.single_flight.lock(("small photo", name)) as is_first:
            if not is_first:
                return _serve_photo_meanwhile(context, request)
            body = small_versions.load(registry.photo_storages, limits, request.executor, name)
    except RateLimited:
        return _serve_photo_meanwhile(context, request)
    if body is None:
        # To try takes as long as to succeed.
        request.page_cache.put(failed, limits, value=True, size=_FAILED_BYTES)
        return serve_photo(context, request)
    response = Response(body, content_type=media_type(body))
    response.headers.update(_SANDBOX_HEADERS, **{"Cache-Control": _IMMUTABLE})
    response.etag = f"{name}/{SMALL}"
    response.conditional_response = True
    return response


def _serve_photo_meanwhile(context: Public, request: ForumRequest) -> Response:
    """Serve the photo itself while it or too many others are made smaller."""
    response = serve_photo(context, request)
    response.headers["Cache-Control"] = "no-store"
    return response


def serve_avatar(context: Public, request: ForumRequest) -> Response:
    """Return the letter avatar of a login."""
    login = request.matchdict["login"]
    if not is_login(login):
        raise NotFound("There is no such avatar.")
    response = Response(letter_avatar(login), content_type="image/svg+xml", charset="utf-8")
    response.headers.update(_SANDBOX_HEADERS, **{"Cache-Control": _DAY})
    return response


def includeme(config: Configurator) -> None:
    """Add the routes, which everybody may read."""
    config.add_route("photo", "/photos/{folder}/{name}", factory=Public)
    config.add_route("small_photo", f"/photos/{{folder}}/{{name}}/{SMALL}", factory=Public)
    config.add_route("avatar", "/avatars/{login}.svg", factory=Public)
    for view, route in (
        (serve_photo, "photo"),
        (serve_small_photo, "small_photo"),
        (serve_avatar, "avatar"),
    ):
        config.add_view(view, route_name=route, request_method="GET", permission=Common.VIEW)
