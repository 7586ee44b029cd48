"""After all flows, no secret is in the log at DEBUG or in the database."""

import base64
from pathlib import Path
from urllib.parse import parse_qs, quote, quote_plus, urlsplit

import pytest
import requests
from requests.auth import HTTPBasicAuth

from forumsvc.oauth.clients import NewClient
from forumsvc.sessions.token_hash import hash_token
from tests.system.process import PATIENCE

from .browser import Browser
from .service import CALLBACK, PASSWORD, Service, service

VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
WRONG = "a wrong password, which may be the right one elsewhere"


def stored(forum: Service) -> bytes:
    # The log first: what is not in it any more is in the file already.
    files = sorted(Path(forum.folder).glob("forum.sqlite*"), reverse=True)
    return b"".join(file.read_bytes() for file in files)


class Run:
    """Every flow against a service, and all the secrets that were sent or received."""

    def __init__(self, forum: Service) -> None:
        self.forum = forum
        self.secrets = {PASSWORD, WRONG, VERIFIER}
        self.given: list[str] = []
        forum.person("Ann")
        self.password_and_refresh()
        self.client_credentials()
        self.authorization_code()
        self.wrong_ones()

    def client(self, name: str, **options: object) -> NewClient:
        """Register a client whose secret must not appear."""
        made = self.forum.client(name, **options)  # type: ignore[arg-type]
        if made.client_secret:
            self.secrets.add(made.client_secret)
            pair = f"{made.client_id}:{made.client_secret}"
            self.secrets.add(base64.b64encode(pair.encode()).decode())
        return made

    def token(self, **parameters: str) -> dict[str, str]:
        """Request a token, and record what was issued."""
        answer = self.forum.post("token", **parameters)
        assert answer.status_code == 200, answer.text
        given: dict[str, str] = answer.json()
        for name in ("access_token", "refresh_token"):
            if name in given:
                self.was_given(given[name])
        return given

    def was_given(self, secret: str) -> None:
        """Record a secret of the service, whose hash must be in the database now."""
        # Later its row may be deleted.
        assert hash_token(secret).encode() in stored(self.forum)
        self.given.append(secret)

    def password_and_refresh(self) -> None:
        """The password grant by both ways of authentication, refresh, reuse, revocation."""
        client = self.client("app")
        proof = client._asdict()
        login = {"grant_type": "password", "username": "ann", "password": PASSWORD}
        first = self.token(**proof, **login)
        second = self.token(
            **proof, grant_type="refresh_token", refresh_token=first["refresh_token"]
        )
        for carry in (
            {"headers": {"Authorization": f"Bearer {second['access_token']}"}},
            {"params": {"access_token": second["access_token"]}},
        ):
            hello = requests.get(f"{self.forum.url}/api/v3/hello", timeout=PATIENCE, **carry)  # type: ignore[arg-type]
            assert hello.status_code == 200
        auth = HTTPBasicAuth(client.client_id, client.client_secret or "")
        for endpoint in ("introspect", "revoke"):
            form = {"token": second["refresh_token"]}
            answer = requests.post(
                f"{self.forum.url}/oauth/{endpoint}", form, auth=auth, timeout=PATIENCE
            )
            assert answer.status_code == 200
        self.forum.post(
            "token", **proof, grant_type="refresh_token", refresh_token=first["refresh_token"]
        )

    def client_credentials(self) -> None:
        self.token(**self.client("robot")._asdict(), grant_type="client_credentials")

    def authorization_code(self) -> None:
        client = self.client("phone", public=True)
        parameters = {
            "response_type": "code",
            "client_id": client.client_id,
            "redirect_uri": CALLBACK,
            "state": "a state",
            "code_challenge": CHALLENGE,
            "code_challenge_method": "S256",
        }
        address = requests.Request("GET", f"{self.forum.url}/oauth/authorize", params=parameters)
        browser = Browser(self.forum.url, "ann", PASSWORD)
        location = browser.allow(address.prepare().url or "")
        self.secrets.update(cookie.value or "" for cookie in browser.http.cookies)
        (code,) = parse_qs(urlsplit(location).query)["code"]
        self.was_given(code)
        exchange = {
            "client_id": client.client_id,
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": CALLBACK,
            "code_verifier": VERIFIER,
        }
        self.token(**exchange)
        assert self.forum.post("token", **exchange).status_code == 400

    def wrong_ones(self) -> None:
        """Refused credentials, which may also be secrets."""
        proof = self.client("app")._asdict()
        login = {"grant_type": "password", "username": "ann"}
        self.forum.post("token", **proof, **login, password=WRONG)
        self.forum.post("token", **proof, grant_type="password", username=WRONG, password="x")
        self.forum.post("token", **{**proof, "client_secret": WRONG}, **login, password=WRONG)
        self.forum.post(f"token?password={quote(WRONG)}", **proof, **login)
        for token in self.given:
            self.forum.hello(token)
            self.forum.post("revoke", **proof, token=token)
        requests.get(
            f"{self.forum.url}/api/v3/nothing?access_token={self.given[0]}", timeout=PATIENCE
        )


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A run whose service has stopped, so that its log is complete."""
    with service(tmp_path_factory.mktemp("secrets")) as forum:
        done = Run(forum)
        forum.server.stop()
    return done


def forms_of(secret: str) -> set[str]:
    """Return the encodings of a secret: plain, in a URL, in a form, in JSON or Python."""
    return {secret, quote(secret), quote_plus(secret), repr(secret)[1:-1]}


def test_no_secret_is_in_the_log(run):
    log = run.forum.server.log
    assert "INSERT INTO oauth_tokens" in log, "not even DEBUG would show one"
    assert "/oauth/token" in log
    for secret in (*run.secrets, *run.given):
        for form in forms_of(secret):
            lines = [line for line in log.splitlines() if form in line]
            assert not lines, lines[0]


def test_no_secret_is_in_the_database(run):
    found = stored(run.forum)
    assert run.given
    for secret in (*run.secrets, *run.given):
        for form in forms_of(secret):
            assert form.encode() not in found
