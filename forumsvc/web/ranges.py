"""Requests for a part of a file (RFC 9110 §14)."""

from .request import ForumRequest


def ignore_vain_range(request: ForumRequest, length: int) -> None:
    """Let a client that asks for a part which is not there have the whole file.

    length: the file's, in bytes. A server may ignore any Range (RFC 9110 §14.2). WebOb would
    answer 416: no JSON as our failures are, and with the file's own leave to be kept for a year.
    """
    wanted = request.range
    if wanted is not None and wanted.range_for_length(length) is None:
        request.range = None
