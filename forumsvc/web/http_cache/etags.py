"""Entity tags: whether what a client has is what it would get (RFC 9110 §8.8.3, §13).

A tag is made of what the database says has last changed, so that an answer need not be made to be
compared; where nothing says so, of the answer. How often a topic was read is no part of it.
"""

import re
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any

from webob.etag import AnyETag

from ...errors import Invalid, PreconditionFailed
from ...settings import Settings
from ..api.request import ForumRequest

_TAG_BYTES = 12
_HITS = re.compile(rb'"hits":\d+')
_SHAPING_SETTINGS = ("site", "api", "levels", "accounts")


def edition(settings: Settings) -> bytes:
    """Return what stands for this version of the software and its settings.

    Another version may show the same rows in another way.
    """
    digest = blake2b(_source(), digest_size=_TAG_BYTES)
    shaping = [name for name in settings if name.partition(".")[0] in _SHAPING_SETTINGS]
    digest.update(repr([(name, settings[name]) for name in sorted(shaping)]).encode())
    return digest.digest()


@cache
def _source() -> bytes:
    # Not presenters alone decide: an order, a default or an ACL stands in other rooms.
    digest = blake2b(digest_size=_TAG_BYTES)
    for file in sorted(Path(__file__).parents[1].rglob("*.py")):
        digest.update(file.read_bytes())
    return digest.digest()


def tag_of_marks(request: ForumRequest, marks: tuple[Any, ...], whose: tuple[Any, ...]) -> str:
    """Return the tag of an answer by what says when it last changed.

    marks: of what is shown itself, then those of what stands around it, which a tag keeps apart:
    an edit may go on though somebody else was renamed. whose: what tells callers apart.
    """
    own, *around = marks
    beyond = f".{_digest(request, repr(around).encode())}" if around else ""
    return f'"{_digest(request, repr((request.base_url, own, whose)).encode())}{beyond}"'


def tag_of_body(request: ForumRequest, body: bytes, *, beside: str = "") -> str:
    """Return the tag of an answer by itself. beside: what it tells outside its body."""
    return f'"{_digest(request, b"".join((*without_hits(body), beside.encode())))}"'


def without_hits(body: bytes) -> list[bytes]:
    """Return an answer's JSON as the parts around how often each topic was read.

    A quotation mark within a text is escaped, so what is found is the name of the field.
    """
    return _HITS.split(body)


def _digest(request: ForumRequest, content: bytes) -> str:
    key = request.registry.build_fingerprint
    return blake2b(content, digest_size=_TAG_BYTES, key=key).hexdigest()


def is_known(request: ForumRequest, tag: str) -> bool:
    """Return whether the client has the answer of that tag already (If-None-Match)."""
    return "HTTP_IF_NONE_MATCH" in request.environ and tag[1:-1] in request.if_none_match


def is_wanted(request: ForumRequest, tag: str) -> bool:
    """Return whether the answer of that tag is what the client wants to change (If-Match).

    Raises Invalid for a header that names no tag, which WebOb takes for any.
    """
    if not request.environ["HTTP_IF_MATCH"].strip():
        raise Invalid("If-Match", "must be the ETag of what you have read, or *")
    wanted = request.if_match
    return wanted is AnyETag or _own(tag[1:-1]) in map(_own, wanted.etags)


def _own(tag: str) -> str:
    return tag.partition(".")[0]


def require(request: ForumRequest, tag: str) -> None:
    """Raise PreconditionFailed where the client wants to change something else."""
    if not is_wanted(request, tag):
        raise PreconditionFailed("If-Match: this has changed since you read it.")
