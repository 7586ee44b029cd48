"""The provider as its clients see it: Ann, two clients, every grant over HTTP, and a clock."""

import base64
import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from webtest import TestResponse

from forumsvc.models import OAuthToken, User
from forumsvc.oauth import clients
from forumsvc.process.passwords import hash_password
from tests.functional.api_stories import Story
from tests.functional.conftest import MakeForum
from tests.functional.forum import Forum, Person
from tests.functional.pages.visitor import Visitor, form_of
from tests.functional.rows import insert_row

from .application import PASSWORD

CALLBACK = "https://app.example/cb"
VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
HOME = "192.0.2.1"
Client = dict[str, str]
"""The credentials of a client: `client_id`, and `client_secret` unless it is public."""


class ManualClock:
    """A clock that stands still until the test advances it."""

    def __init__(self) -> None:
        self.time = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)

    def now(self) -> datetime:
        return self.time

    def advance(self, **by: float) -> None:
        self.time += timedelta(**by)


@dataclass
class Redirect:
    """The redirect to a client. json: its parameters."""

    location: str
    headers: dict[str, str]
    status_int: int = 303

    @property
    def json(self) -> dict[str, str]:
        return dict(parse_qsl(urlsplit(self.location).query, strict_parsing=True))

    @property
    def text(self) -> str:
        return self.location


class OAuth:
    """A forum with one user, one confidential client, and one public client."""

    def __init__(self, forum: Forum, time: ManualClock) -> None:
        self.forum, self.time = forum, time
        self.hash = hash_password(PASSWORD)
        self.ann = self.user("Ann", email="Ann@Example.org", email_key="ann@example.org")
        self.app = self.client("app")
        self.phone = self.client("phone", public=True)

    def user(self, login: str, **columns: Any) -> int:
        """Add a user whose password is PASSWORD, and return the id."""
        with self.forum.database.session.begin() as db:
            return insert_row(
                db, User, login=login, role="member", password_hash=self.hash, **columns
            )

    def client(self, name: str, /, **options: Any) -> Client:
        """Register a client; without options it has the command line's default grants."""
        options.setdefault("grants", ("password", "refresh_token", "authorization_code"))
        options.setdefault("redirect_uris", (CALLBACK,))
        with self.forum.database.session.begin() as db:
            return known(clients.create(db, name, **options)._asdict())

    def call(self, endpoint: str, address: str = HOME, **parameters: Any) -> TestResponse:
        """POST a form; `authorization` is a header, `basic` its name and password in clear."""
        headers = {}
        if pair := parameters.pop("basic", None):
            parameters["authorization"] = "Basic " + base64.b64encode(pair.encode()).decode()
        if header := parameters.pop("authorization", None):
            headers["Authorization"] = header
        return self.forum.app.post(
            f"/oauth/{endpoint}",
            known(parameters),
            headers=headers,
            extra_environ={"REMOTE_ADDR": address},
            status="*",
        )

    def password(self, client: Client | None = None, /, **parameters: Any) -> TestResponse:
        """Try the password grant for Ann."""
        form = {"grant_type": "password", "username": "ann", "password": PASSWORD}
        return self.call("token", **{**(client or self.app), **form, **parameters})

    def log_in(self, client: Client | None = None, /, **parameters: Any) -> dict[str, Any]:
        """Return the tokens of the password grant for Ann."""
        answer = self.password(client, **parameters)
        assert answer.status_int == 200, answer.text
        return dict(answer.json)

    def refresh(
        self, token: str | None, client: Client | None = None, /, **more: Any
    ) -> TestResponse:
        """Use a refresh token."""
        form = {"grant_type": "refresh_token", "refresh_token": token}
        return self.call("token", **{**(client or self.app), **form, **more})

    def authorize(
        self, client: Client, /, *pairs: tuple[str, str], **parameters: Any
    ) -> Redirect | TestResponse:
        """Send Ann's browser to the consent page, and click Allow; pairs: further parameters."""
        query = {
            "response_type": "code",
            "client_id": client["client_id"],
            "redirect_uri": CALLBACK,
            "state": "a state",
            "code_challenge": challenge(VERIFIER),
            "code_challenge_method": "S256",
            **parameters,
        }
        browser = Visitor(self.forum)
        browser.log_in(password=PASSWORD)
        request = [*known(query).items(), *pairs]
        page = browser.app.get("/oauth/authorize", request, status="*")
        if page.status_int == 200:
            page = form_of(page).submit("answer", value="allow", status="*")
        if page.status_int != 303:
            return page
        asked_for = query["redirect_uri"] or CALLBACK
        assert page.location.partition("?")[0] == asked_for.partition("?")[0]
        return Redirect(page.location, dict(page.headers))

    def code(self, client: Client, /, **parameters: Any) -> str:
        """Return a code that Ann approved for a client."""
        answer = self.authorize(client, **parameters)
        assert "code" in answer.json, answer.text
        return str(answer.json["code"])

    def exchange(self, client: Client, code: str | None, /, **parameters: Any) -> TestResponse:
        """Exchange a code for a token."""
        form = {"grant_type": "authorization_code", "code": code}
        form |= {"redirect_uri": CALLBACK, "code_verifier": VERIFIER}
        return self.call("token", **{**client, **form, **parameters})

    def is_valid(self, access_token: str) -> bool:
        """Return whether the API takes an access token."""
        return self.forum.caller(access_token).get("/topics").status_int == 200

    def count(self, model: Any = OAuthToken) -> int:
        """Return how many rows a table has."""
        return self.forum.count(model)


def known(parameters: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters that are not None."""
    return {name: value for name, value in parameters.items() if value is not None}


def challenge(verifier: str) -> str:
    """Return the S256 code challenge of a verifier."""
    hashed = hashlib.sha256(verifier.encode()).digest()
    return base64.urlsafe_b64encode(hashed).decode().rstrip("=")


class OAuthStory(Story):
    """A story whose people are clients: a request is a grant, an endpoint, or one of the API.

    `password`, `refresh`, `exchange` and `authorize` are those of OAuth, with what they send
    completed; `token`, `revoke` and `introspect` are sent with nothing but the client's
    credentials. A parameter that is null is left out. `$access`, say, sends an access token.
    """

    def __init__(self, forum: Forum, make_forum: MakeForum, time: ManualClock) -> None:
        super().__init__(forum, make_forum)
        self.time = time
        self.oauth: OAuth
        self.clients: dict[str, Client] = {}
        self.values["off"] = {"active": False}
        self.name_people("ann")
        for name in ("app", "phone"):
            self.values.known[name] = partial(self.client_id, name)

    def set_up(self, row: dict[str, dict[str, Any]]) -> None:
        """Advance the clock, or register clients; else see Story."""
        if by := row.get("advance"):
            self.time.advance(**by)
        elif made := row.get("clients"):
            for name, options in made.items():
                self.client(name, **options)
        else:
            super().set_up(row)

    def client(self, name: str, **options: Any) -> Client:
        """Return a client of this name."""
        if not self.clients:
            self.oauth = OAuth(self.forum, self.time)
            self.clients = {"app": self.oauth.app, "phone": self.oauth.phone}
            self.values.update({one: self.clients[one]["client_id"] for one in self.clients})
            self.people["ann"] = Person(self.forum.app, None, self.oauth.ann, "Ann")
        if name not in self.clients:
            self.clients[name] = self.oauth.client(name, **options)
            self.values[name] = self.clients[name]["client_id"]
        return self.clients[name]

    def client_id(self, name: str) -> str:
        """Return the identifier of a client."""
        return self.client(name)["client_id"]

    def person(self, name: str) -> Person:
        """Return Ann, or see Story."""
        self.client("app")
        return super().person(name)

    def send(self, who: str, method: str, path: str, sent: dict[str, Any]) -> Any:
        """Call the endpoint that a row names."""
        if method == "GET":
            caller = self.forum.caller(None if who == "nobody" else self.values[who[1:]])
            if not path.startswith("/."):
                return self.call(caller, method, path, sent)
            return self.forum.app.get(path, status="*")
        client = {} if who == "nobody" else self.client(who)
        self.client("app")
        send: dict[str, Callable[..., Any]] = {
            "password": self.oauth.password,
            "refresh": lambda one, /, **more: self.oauth.refresh(None, one, **more),
            "exchange": lambda one, /, **more: self.oauth.exchange(one, None, **more),
            "authorize": self.oauth.authorize,
        }
        if method in send:
            return send[method](client, **sent)
        return self.oauth.call(method, **{**client, **sent})
