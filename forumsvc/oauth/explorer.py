"""The built-in OAuth client of the API explorer at /docs."""

from typing import Any

from sqlalchemy.orm import Session

from .. import clock
from ..db.statements import insert_or_ignore, update_of
from ..models import OAuthClient
from .clients import EXPLORER_CLIENT, SCOPES

CLIENT_ID = EXPLORER_CLIENT
REDIRECT_PATH = "/docs/oauth2-redirect.html"
"""The path of the redirect URI; the host is the one that the service is reached at."""


def register(db: Session) -> None:
    """Create the client, or update its row."""
    values: dict[str, Any] = {
        "secret_hash": None,
        "public": True,
        "name": "API explorer",
        # No refresh token: the access ends with the access token.
        "grants": "authorization_code",
        "redirect_uris": REDIRECT_PATH,
        "scopes": " ".join(SCOPES),
    }
    insert_or_ignore(db, OAuthClient, client_id=CLIENT_ID, created_at=clock.now(), **values)
    db.execute(update_of(OAuthClient).where(OAuthClient.client_id == CLIENT_ID).values(values))
