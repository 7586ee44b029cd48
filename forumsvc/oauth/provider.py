"""The dependencies of the OAuth provider."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Engine
from sqlalchemy.orm import Session


@dataclass(frozen=True, slots=True)
class Provider:
    """What the provider needs to process one request.

    reads: connections that see committed rows; db: the session of the request's transaction. On
    SQLite the transaction holds the write lock from its first statement on, so whatever can be
    validated is validated with `reads` first. settings: the validated settings; issuer: the issuer
    identifier (RFC 8414 §2), the base URL of the endpoints; limit_client: counts a request to the
    token endpoint by client_id and IP address, and raises RateLimited.
    """

    reads: Engine
    db: Session
    settings: Mapping[str, Any]
    issuer: str
    limit_client: Callable[[str, str], None] = lambda client_id, address: None
