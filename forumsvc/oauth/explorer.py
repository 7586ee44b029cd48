"""The client of our own that the explorer of /docs logs in by."""

from typing import Any

from sqlalchemy.orm import Session

from .. import clock
from ..db.statements import insert_or_ignore, update_of
from ..models import OAuthClient
from .clients import EXPLORER_CLIENT, SCOPES

CLIENT_ID = EXPLORER_CLIENT
REDIRECT_PATH = "/docs/oauth2-redirect.html"
"""Where the answer goes, under the address of this service itself, whichever that is."""


def register(db: Session) -> None:
    """Register the client, or bring its row up to date."""
    values: dict[str, Any] = {
        "secret_hash": None,
        "public": True,
        "name": "API explorer",
        # Without a refresh token: what was allowed ends with the access token.
        "grants": "authorization_code",
        "redirect_uris": REDIRECT_PATH,
        "scopes": " ".join(SCOPES),
    }
    insert_or_ignore(db, OAuthClient, client_id=CLIENT_ID, created_at=clock.now(), **values)
    db.execute(update_of(OAuthClient).where(OAuthClient.client_id == CLIENT_ID).values(values))
