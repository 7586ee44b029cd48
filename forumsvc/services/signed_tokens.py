"""Signed tokens of links in emails, which are not stored.

The signature covers what the account has when the link is sent, so a token becomes invalid when
that changes, for instance by its use.
"""

import hmac
import re
from base64 import urlsafe_b64encode
from collections.abc import Iterable
from datetime import datetime
from hashlib import sha256

_TOKEN = re.compile(r"([1-9][0-9]{0,18})\.([0-9]{1,12})\.[A-Za-z0-9_-]{43}", re.ASCII)


def create(secret: str, purpose: str, user_id: int, expires: int, state: Iterable[str]) -> str:
    """Return a token.

    secret: session.secret; expires: a POSIX time; state: what makes it invalid when it changes.
    """
    message = "\0".join([purpose, str(user_id), str(expires), *state]).encode()
    signature = urlsafe_b64encode(hmac.new(secret.encode(), message, sha256).digest())
    return f"{user_id}.{expires}.{signature.rstrip(b'=').decode()}"


def claimed_user_id(token: str, now: datetime) -> int | None:
    """Return whose a token claims to be, to be verified; None if it is malformed or expired."""
    match = _TOKEN.fullmatch(token)
    if match is None or int(match[2]) <= now.timestamp() or int(match[1]) >= 2**63:
        return None
    return int(match[1])


def is_genuine(secret: str, purpose: str, token: str, state: Iterable[str]) -> bool:
    """Return whether a token, of which `claimed_user_id` returned one, was made with these."""
    user_id, expires, _ = token.split(".")
    return hmac.compare_digest(create(secret, purpose, int(user_id), int(expires), state), token)
