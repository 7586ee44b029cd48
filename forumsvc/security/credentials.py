"""Extracting the access token of a request (RFC 6750 §2)."""

import re
from collections.abc import Iterable
from typing import Any

from ..errors import Malformed

_BEARER = re.compile(r"bearer[ \t]+(.*)", re.IGNORECASE)
# What some clients send when nobody is logged in.
_NO_TOKEN = frozenset({"", "null", "undefined"})


def access_token(parameters: Iterable[Any], authorization: str | None) -> str | None:
    """Return the one access token that a request carries, or None.

    parameters: every value of `access_token` in query and body; authorization: the header of that
    name, of which only the scheme Bearer is read. Raises Malformed where two tokens differ.
    """
    sent = {str(value) for value in parameters if value is not None}
    match = _BEARER.fullmatch(authorization.strip()) if authorization else None
    if match:
        sent.add(match[1].strip())
    sent -= _NO_TOKEN
    if len(sent) > 1:
        raise Malformed("access_token: the request carries two different access tokens")
    return sent.pop() if sent else None
