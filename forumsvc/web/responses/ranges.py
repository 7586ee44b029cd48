"""Requests for a part of a file (RFC 9110 §14)."""

import re

from ..api.request import ForumRequest

_READABLE = re.compile(r"[ -~]{1,100}", re.ASCII)
"""Of longer numbers Python makes none, and of what it cannot read WebOb makes an error of ours."""


def ignore_unsatisfiable_range(request: ForumRequest, length: int) -> None:
    """Let a client that asks for a part which is not there have the whole file.

    length: the file's, in bytes. A server may ignore any Range (RFC 9110 §14.2). WebOb would
    answer 416: no JSON as our failures are, and with the file's own leave to be kept for a year.
    """
    header = request.environ.get("HTTP_RANGE")
    if header is None:
        return
    wanted = request.range if _READABLE.fullmatch(header) else None
    if wanted is None or wanted.range_for_length(length) is None:
        request.range = None
