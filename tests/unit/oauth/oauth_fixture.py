"""A fixture for the tests of the provider: users, clients, and requests as data."""

import base64
import hashlib
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import parse_qsl

from sqlalchemy import func, insert, select
from sqlalchemy.orm import Session

from forumsvc import clock
from forumsvc.db.engine import Database
from forumsvc.db.expired_rows import delete_batch
from forumsvc.models import BrowserSession, OAuthToken, User
from forumsvc.oauth import authorization_endpoint, clients, server, tokens
from forumsvc.oauth.messages import OAuthRequest, OAuthResponse
from forumsvc.oauth.provider import Provider
from forumsvc.passwords import hash_password
from forumsvc.sessions.token_hash import hash_token, new_secret
from forumsvc.settings import Settings

PASSWORD = "correct horse battery"
CALLBACK = "https://app.example/cb"
VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
ISSUER = "https://forum.example"
START = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


class ManualClock:
    """A clock that stands still until the test advances it."""

    def __init__(self) -> None:
        self.time = START

    def now(self) -> datetime:
        return self.time

    def advance(self, **by: float) -> None:
        self.time += timedelta(**by)


class OAuthFixture:
    """A database with one user, one confidential client, and one public client."""

    def __init__(self, database: Database, time: ManualClock) -> None:
        self.database = database
        self.time = time
        self.settings: dict[str, Any] = dict(
            Settings(
                {
                    "site.url": ISSUER,
                    "sqlalchemy.url": "sqlite:///unused",
                    "session.secret": "x" * 32,
                }
            )
        )
        self.hash = hash_password(PASSWORD)
        self.ann = self.user("Ann", email="Ann@Example.org")
        self.app = self.client("app", redirect_uris=(CALLBACK,))
        self.phone = self.client("phone", redirect_uris=(CALLBACK,), public=True)

    def user(self, login: str, *, email: str | None = None, **columns: Any) -> int:
        """Add a user whose password is PASSWORD, and return the id."""
        values = {"password_hash": self.hash, **columns}
        with self.database.session.begin() as db:
            user = User(
                login=login,
                login_key=login.lower(),
                email=email,
                email_key=email and email.lower(),
                created_at=clock.now(),
                updated_at=clock.now(),
                **values,
            )
            db.add(user)
            db.flush()
            return user.id

    def change(self, user_id: int, **columns: Any) -> None:
        """Set columns of a user."""
        with self.database.session.begin() as db:
            user = db.get_one(User, user_id)
            for name, value in columns.items():
                setattr(user, name, value)

    def client(self, name: str, **options: Any) -> clients.NewClient:
        """Register a client; without options it has the command line's default grants."""
        options.setdefault("grants", ("password", "refresh_token", "authorization_code"))
        with self.database.session.begin() as db:
            return clients.create(db, name, **options)

    def call(
        self,
        endpoint: Any,
        parameters: dict[str, str] | list[tuple[str, str]],
        *,
        headers: dict[str, str] | None = None,
        uri: str = "http://forum.example/oauth/token",
        method: str = "POST",
        address: str = "192.0.2.1",
    ) -> OAuthResponse:
        """Call an endpoint as the web does: an error is rolled back unless `commit` is set."""
        pairs = list(parameters.items()) if isinstance(parameters, dict) else parameters
        with self.database.session() as db:
            answer: OAuthResponse = endpoint(
                self.provider(db), OAuthRequest(method, uri, headers or {}, pairs, address)
            )
            if answer.status < 400 or answer.commit:
                db.commit()
        return answer

    def token(self, client: clients.NewClient | None = None, /, **parameters: str) -> OAuthResponse:
        """Call the token endpoint as a client, by its credentials in the body."""
        return self.call(server.token, {**credentials(client or self.app), **parameters})

    def try_password(
        self, client: clients.NewClient | None = None, /, **parameters: str
    ) -> OAuthResponse:
        """Try the password grant for Ann."""
        form = {"username": "ann", "password": PASSWORD, **parameters}
        return self.token(client, grant_type="password", **form)

    def log_in(
        self, client: clients.NewClient | None = None, /, **parameters: str
    ) -> dict[str, Any]:
        """Return the response of the password grant for Ann."""
        answer = self.try_password(client, **parameters)
        assert answer.status == 200, answer
        return answer.body

    def refresh(self, refresh_token: str, **parameters: Any) -> OAuthResponse:
        """Use a refresh token."""
        return self.token(grant_type="refresh_token", refresh_token=refresh_token, **parameters)

    def authorization_request(
        self, client: clients.NewClient, **parameters: str
    ) -> authorization_endpoint.AuthorizationRequest:
        """Validate an authorization request; an empty value omits a parameter."""
        query = {
            "response_type": "code",
            "client_id": client.client_id,
            "redirect_uri": CALLBACK,
            "state": "a state",
            "code_challenge": challenge(VERIFIER),
            "code_challenge_method": "S256",
            **parameters,
        }
        with self.database.session() as db:
            return authorization_endpoint.validate_authorization_request(
                self.provider(db), list(query.items())
            )

    def approve(
        self, request: authorization_endpoint.AuthorizationRequest, user_id: int | None = None
    ) -> dict[str, str]:
        """Approve a request as Ann, and return the parameters of the redirect."""
        with self.database.session.begin() as db:
            location = self.approve_in(db, request, user_id or self.ann)
        address, _, query = location.partition("?")
        assert address == request.redirect_uri.partition("?")[0]
        return dict(parse_qsl(query, strict_parsing=True))

    def approve_in(
        self, db: Session, request: authorization_endpoint.AuthorizationRequest, user_id: int
    ) -> str:
        """Approve a request in a new session of a user; return the redirect."""
        secret = new_secret()
        db.execute(
            insert(BrowserSession).values(
                secret_hash=hash_token(secret),
                user_id=user_id,
                created_at=clock.now(),
                expires_at=clock.now() + timedelta(minutes=1),
            )
        )
        return authorization_endpoint.approve(self.provider(db), request, user_id, secret)

    def code(self, client: clients.NewClient, **parameters: str) -> str:
        """Return a code that Ann approved for a client."""
        return self.approve(self.authorization_request(client, **parameters))["code"]

    def exchange(self, client: clients.NewClient, code: str, **parameters: str) -> OAuthResponse:
        """Exchange a code for a token; an empty value omits a parameter."""
        form = {"redirect_uri": CALLBACK, "code_verifier": VERIFIER, **parameters}
        return self.token(client, grant_type="authorization_code", code=code, **form)

    def provider(self, db: Session) -> Provider:
        """Return the provider of one request."""
        return Provider(self.database.reads, db, self.settings, ISSUER)

    def is_valid(self, access_token: str) -> bool:
        """Return whether an access token is valid."""
        with self.database.reads.connect() as connection:
            return tokens.find_by_access_token(connection, access_token, clock.now()) is not None

    def purge(self) -> int:
        """Delete what has expired; return how many of the tokens."""
        now = clock.now()
        deleted = [delete_batch(self.database, each, now) for each in tokens.EXPIRED]
        return deleted[0]

    def count(self, model: Any = OAuthToken) -> int:
        """Return how many rows a table has."""
        with self.database.reads.connect() as connection:
            return connection.execute(select(func.count()).select_from(model)).scalar_one()


def credentials(client: clients.NewClient) -> dict[str, str]:
    """Return a client's credentials as body parameters."""
    if client.client_secret is None:
        return {"client_id": client.client_id}
    return {"client_id": client.client_id, "client_secret": client.client_secret}


def challenge(verifier: str) -> str:
    """Return the S256 code challenge of a verifier."""
    hashed = hashlib.sha256(verifier.encode()).digest()
    return base64.urlsafe_b64encode(hashed).decode().rstrip("=")


def basic(user: str, password: str | None) -> dict[str, str]:
    """Return the header of HTTP Basic."""
    return {"Authorization": "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()}
