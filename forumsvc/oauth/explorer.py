"""The built-in OAuth client of the API explorer at /docs."""

from sqlalchemy.orm import Session

from .clients import EXPLORER_CLIENT, SCOPES, put

CLIENT_ID = EXPLORER_CLIENT
REDIRECT_PATH = "/docs/oauth2-redirect.html"
"""The path of the redirect URI; the host is the one that the service is reached at."""


def register(db: Session) -> None:
    """Create the client, or update its row."""
    put(
        db,
        CLIENT_ID,
        secret_hash=None,
        public=True,
        name="API explorer",
        # No refresh token: the access ends with the access token.
        grants="authorization_code",
        redirect_uris=REDIRECT_PATH,
        scopes=" ".join(SCOPES),
    )
