"""What the provider works with."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Engine
from sqlalchemy.orm import Session


@dataclass(frozen=True, slots=True)
class Provider:
    """The surroundings of one request.

    reads: connections that see committed rows; db: the request's transaction, which on SQLite
    holds the write lock from its first statement on, so that everything that can be checked is
    checked with `reads` before; settings: the checked settings; issuer: the provider's identifier
    (RFC 8414 §2), which is the address that its endpoints are under; limit_client: counts a request
    of a client (its identifier) from an address at the token endpoint, and raises RateLimited.
    """

    reads: Engine
    db: Session
    settings: Mapping[str, Any]
    issuer: str
    limit_client: Callable[[str, str], None] = lambda client_id, address: None
