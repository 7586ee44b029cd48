"""Signed tokens of links in emails, which are not stored.

The signature covers what the account has when the link is sent, so a token becomes invalid when
that changes, for instance by its use.
"""

import hmac
import re
from base64 import urlsafe_b64encode
from collections.abc import Callable, Iterable
from datetime import datetime
from hashlib import sha256
from typing import TypeVar

T = TypeVar("T")

_TOKEN = re.compile(r"([1-9][0-9]{0,18})\.([0-9]{1,12})\.[A-Za-z0-9_-]{43}", re.ASCII)


def create(
    secret: str, purpose: str, user_id: int, expires_at: datetime, state: Iterable[str]
) -> str:
    """Return a token. secret: session.secret; state: what makes it invalid when it changes."""
    return _signed(secret, purpose, user_id, int(expires_at.timestamp()), state)


def verify(
    secret: str,
    purpose: str,
    token: str,
    now: datetime,
    find: Callable[[int], T | None],
    state: Callable[[T], Iterable[str]],
) -> T | None:
    """Return the account of a token, or None if the token is forged, expired or used.

    find: returns the account of a user id; state: returns that of `create` for an account.
    """
    match = _TOKEN.fullmatch(token)
    if match is None or int(match[2]) <= now.timestamp() or int(match[1]) >= 2**63:
        return None
    user_id, expires = int(match[1]), int(match[2])
    account = find(user_id)
    if account is None:
        return None
    genuine = _signed(secret, purpose, user_id, expires, state(account))
    return account if hmac.compare_digest(genuine, token) else None


def _signed(secret: str, purpose: str, user_id: int, expires: int, state: Iterable[str]) -> str:
    message = "\0".join([purpose, str(user_id), str(expires), *state]).encode()
    signature = urlsafe_b64encode(hmac.new(secret.encode(), message, sha256).digest())
    return f"{user_id}.{expires}.{signature.rstrip(b'=').decode()}"
