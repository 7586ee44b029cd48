"""Responses that programs read: feeds, the sitemap, robots.txt."""

from pyramid.response import Response


def file_response(body: bytes, media_type: str) -> Response:
    """Return a public response with an entity tag of its bytes, which caches ask for again."""
    response = Response(body, content_type=media_type, charset="UTF-8")
    response.md5_etag()
    response.cache_control = "public, no-cache"
    response.conditional_response = True
    return response
