"""Range requests (RFC 9110 §14)."""

import re

from ..api.request import ForumRequest

_READABLE = re.compile(r"[ -~]{1,100}", re.ASCII)
"""Python does not parse longer numbers, and WebOb raises an exception for malformed ranges."""

_LAST_ZERO_BYTES = re.compile(r"[=,]\s*-0+\s*(,|$)")


def ignore_unsatisfiable_range(request: ForumRequest, length: int) -> None:
    """Ignore a Range that the file cannot satisfy, so that the client gets the whole file.

    So is one that does not come with GET (RFC 9110 §14.2), or asks for no byte (`bytes=-0`).
    length: the file's, in bytes. A server may ignore any Range (RFC 9110 §14.2). WebOb would
    answer 416, without our JSON and with the file's headers that let it be cached for a year.
    """
    header = request.environ.get("HTTP_RANGE")
    if header is None:
        return
    is_usable = request.method == "GET" and not _LAST_ZERO_BYTES.search(header)
    requested = request.range if is_usable and _READABLE.fullmatch(header) else None
    if requested is None or requested.range_for_length(length) is None:
        request.range = None
