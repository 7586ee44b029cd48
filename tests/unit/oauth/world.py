"""A small forum for the provider's tests: people, clients, and calls as data."""

import base64
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import func, select

from forumsvc import clock
from forumsvc.models import OAuthToken, User
from forumsvc.models.engine import Database
from forumsvc.oauth import clients, server, tokens
from forumsvc.oauth.messages import Answer, Call
from forumsvc.oauth.provider import Provider
from forumsvc.passwords import hash_password
from forumsvc.settings import Settings

PASSWORD = "correct horse battery"
HASH = hash_password(PASSWORD)
ISSUER = "https://forum.example"
START = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


class Clock:
    """A clock that stands until it is told to move."""

    def __init__(self) -> None:
        self.time = START

    def now(self) -> datetime:
        return self.time

    def advance(self, **by: float) -> None:
        self.time += timedelta(**by)


class World:
    """A forum with one person, one client that has a secret, and one that has none."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.settings: dict[str, Any] = dict(
            Settings({"sqlalchemy.url": "sqlite:///unused", "session.secret": "x" * 32})
        )
        self.ann = self.user("Ann", email="Ann@Example.org")
        self.app = self.client("app")
        self.phone = self.client("phone", public=True)

    def user(self, login: str, *, email: str | None = None, **columns: Any) -> int:
        """Add a user whose password is PASSWORD, and return the id."""
        values = {"password_hash": HASH, **columns}
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
    ) -> Answer:
        """Call an endpoint as the web does: an error is rolled back unless it says otherwise."""
        pairs = list(parameters.items()) if isinstance(parameters, dict) else parameters
        with self.database.session() as db:
            provider = Provider(self.database.reads, db, self.settings, ISSUER)
            answer: Answer = endpoint(provider, Call(method, uri, headers or {}, pairs, address))
            if answer.status < 400 or answer.commit:
                db.commit()
        return answer

    def token(self, client: clients.NewClient | None = None, **parameters: str) -> Answer:
        """Call the token endpoint as a client, by its credentials in the body."""
        return self.call(server.token, {**credentials(client or self.app), **parameters})

    def log_in(self, client: clients.NewClient | None = None, **parameters: str) -> dict[str, Any]:
        """Return what the password grant gives Ann."""
        asked = {"username": "ann", "password": PASSWORD, **parameters}
        answer = self.token(client, grant_type="password", **asked)
        assert answer.status == 200, answer
        return answer.body

    def refresh(self, refresh_token: str, **parameters: Any) -> Answer:
        """Use a refresh token."""
        return self.token(grant_type="refresh_token", refresh_token=refresh_token, **parameters)

    def alive(self, access_token: str) -> bool:
        """Return whether an access token is good for anything."""
        with self.database.reads.connect() as connection:
            return tokens.find_access(connection, access_token, clock.now()) is not None

    def count(self, model: Any = OAuthToken) -> int:
        """Return how many rows a table has."""
        with self.database.reads.connect() as connection:
            return connection.execute(select(func.count()).select_from(model)).scalar_one()


def credentials(client: clients.NewClient) -> dict[str, str]:
    """Return a client's credentials as body parameters."""
    if client.client_secret is None:
        return {"client_id": client.client_id}
    return {"client_id": client.client_id, "client_secret": client.client_secret}


def basic(user: str, password: str | None) -> dict[str, str]:
    """Return the header of HTTP Basic."""
    return {"Authorization": "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()}
