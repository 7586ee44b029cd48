"""Entity tags and the preconditions that compare them (RFC 9110 §8.8.3, §13).

An ETag is made of the versions of what a page shows, so it is known before the page is made; where
no versions cover the page, it is made of the body. The hits of a topic are no part of it.
"""

import re
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any

from webob.etag import AnyETag

from ...errors import Invalid, PreconditionFailed
from ...queries.reviews import ReviewRow
from ...settings import Settings
from ..api.request import ForumRequest

_DIGEST_BYTES = 12
PACKAGE = Path(__file__).parents[2]
_HITS = re.compile(rb'"hits":\d+')
_SHAPING_SETTINGS = ("site", "api", "levels", "accounts", "pages")
_SOURCES = (".py", ".jinja2", ".mo")


def build_fingerprint(settings: Settings) -> bytes:
    """Return a digest of the software and of the settings that change what responses show.

    Another build may show the same rows in another way, so its ETags have to differ.
    """
    digest = blake2b(_source_digest(), digest_size=_DIGEST_BYTES)
    shaping = [name for name in settings if name.partition(".")[0] in _SHAPING_SETTINGS]
    digest.update(repr([(name, settings[name]) for name in sorted(shaping)]).encode())
    return digest.digest()


@cache
def _source_digest() -> bytes:
    # All modules, not just the presenters: an order, a default or an ACL changes pages, too.
    digest = blake2b(digest_size=_DIGEST_BYTES)
    for file in sorted(f for kind in _SOURCES for f in PACKAGE.rglob(f"*{kind}")):
        digest.update(file.read_bytes())
    return digest.digest()


def etag_of_versions(
    request: ForumRequest, versions: tuple[Any, ...], scope_key: tuple[Any, ...]
) -> str:
    """Return the ETag of a page by its versions.

    versions: first that of the item itself, then those of what stands around it. The ETag keeps
    the two parts apart, because If-Match compares the first only: an edit may go on though
    somebody else was renamed. scope_key: tells callers apart who get different pages.
    """
    own, *around = versions
    suffix = f".{_digest(request, repr(around).encode())}" if around else ""
    return f'"{_digest(request, repr((request.base_url, own, scope_key)).encode())}{suffix}"'


def etag_of_body(request: ForumRequest, body: bytes, *, headers: str = "") -> str:
    """Return the ETag of a response by its body. headers: values that count as well."""
    return f'"{_digest(request, b"".join((*split_at_hits(body), headers.encode())))}"'


def etag_of_review(request: ForumRequest, review: ReviewRow, body: bytes = b"") -> str:
    """Return the ETag of a review, of which If-Match compares the review's version only.

    A decision may go on though the author has written something else meanwhile.
    """
    return etag_of_versions(request, ((review.id, review.version), body), ())


def split_at_hits(body: bytes) -> list[bytes]:
    """Return the parts of a response's JSON around the hits of each topic.

    A quotation mark within a text is escaped, so only the name of the field is found.
    """
    return _HITS.split(body)


def _digest(request: ForumRequest, content: bytes) -> str:
    key = request.registry.build_fingerprint
    return blake2b(content, digest_size=_DIGEST_BYTES, key=key).hexdigest()


def if_none_match(request: ForumRequest, etag: str) -> bool:
    """Return whether the request's If-None-Match names this ETag."""
    return "HTTP_IF_NONE_MATCH" in request.environ and etag[1:-1] in request.if_none_match


def if_match(request: ForumRequest, etag: str) -> bool:
    """Return whether the request's If-Match, which there must be, names this ETag.

    Raises Invalid for an empty header, which WebOb takes for `*`.
    """
    if not request.environ["HTTP_IF_MATCH"].strip():
        raise Invalid("If-Match", "must be the ETag of what you have read, or *")
    wanted = request.if_match
    return wanted is AnyETag or _own_part(etag[1:-1]) in map(_own_part, wanted.etags)


def _own_part(etag: str) -> str:
    return etag.partition(".")[0]


def check_if_match(request: ForumRequest, etag: str) -> None:
    """Raise PreconditionFailed unless If-Match names this ETag."""
    if not if_match(request, etag):
        raise PreconditionFailed("If-Match: this has changed since you read it.")
