"""Entity tags and the preconditions that compare them (RFC 9110 §8.8.3, §13).

An ETag is made of the versions of what a page shows, so it is known before the page is made; where
no versions cover the page, it is made of the body. The hits of a topic are no part of it.
"""

import re
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any

import orjson
from webob.etag import AnyETag

from ...errors import Invalid, PreconditionFailed
from ...resources.base import Item
from ...settings import Settings
from ..api.request import ForumRequest

_DIGEST_BYTES = 12
PACKAGE = Path(__file__).parents[2]
_HITS = re.compile(rb'"hits":\d+')
_SHAPING_SETTINGS = ("site", "api", "levels", "accounts", "pages")
_SHAPING_NAMES = ("posts.versions_open",)
_SOURCES = (".py", ".jinja2", ".mo")


def build_fingerprint(settings: Settings) -> bytes:
    """Return a digest of the software and of the settings that change what responses show.

    Another build may show the same rows in another way, so its ETags have to differ.
    """
    digest = blake2b(_source_digest(), digest_size=_DIGEST_BYTES)
    shaping = [
        name
        for name in settings
        if name.partition(".")[0] in _SHAPING_SETTINGS or name in _SHAPING_NAMES
    ]
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
    request: ForumRequest,
    versions: tuple[Any, ...],
    scope_key: tuple[Any, ...],
    item: Item | None = None,
) -> str:
    """Return the ETag of a page by the versions of all that it shows.

    scope_key: tells callers apart who get different pages; item: as for `_etag_of`.
    """
    return _etag_of(request, repr((request.base_url, versions, scope_key)).encode(), item)


def etag_of_body(
    request: ForumRequest, body: bytes, *, headers: str = "", item: Item | None = None
) -> str:
    """Return the ETag of a response by its body. headers: values that count as well."""
    return _etag_of(request, b"".join((*split_at_hits(body), headers.encode())), item)


def _etag_of(request: ForumRequest, shown: bytes, item: Item | None) -> str:
    """Return a strong ETag: different where the responses differ.

    shown: what the response is made of; item: the one that is shown, if it can be edited. Then the
    ETag has two parts, of which If-Match compares the first only: an edit may go on though somebody
    else has replied, liked or was renamed.
    """
    edit_part = None if item is None else _edit_part(item)
    whole = _digest(request, shown)
    return f'"{whole}"' if edit_part is None else f'"{edit_part}.{whole}"'


def etag_of_edit(item: Item) -> str | None:
    """Return an ETag that is good for If-Match only: no response to a GET has it."""
    edit_part = _edit_part(item)
    return None if edit_part is None else f'"{edit_part}"'


def _edit_part(item: Item) -> str | None:
    # Equal in every build, for every caller: only an edit may change it.
    content = item.edit_version()
    if content is None:
        return None
    named = orjson.dumps((type(item).__name__, item.row_id, content))
    return blake2b(named, digest_size=_DIGEST_BYTES).hexdigest()


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


def check_if_match(request: ForumRequest, item: Item) -> None:
    """Raise PreconditionFailed if the item has changed; see `if_match`."""
    if not if_match(request, item):
        raise PreconditionFailed("If-Match: this has changed since you read it.")


def if_match(request: ForumRequest, item: Item) -> bool:
    """Return whether the request's If-Match, if there is one, names the item as it is now.

    Weak tags match nothing (RFC 9110 §13.1.1). Raises Invalid for an empty header, which WebOb
    takes for `*`.
    """
    header = request.environ.get("HTTP_IF_MATCH")
    if header is None:
        return True
    if not header.strip():
        raise Invalid("If-Match", "must be the ETag of what you have read, or *")
    if_match, edit_part = request.if_match, _edit_part(item)
    if if_match is AnyETag or edit_part is None:
        return True
    return edit_part in (tag.partition(".")[0] for tag in if_match.etags)
