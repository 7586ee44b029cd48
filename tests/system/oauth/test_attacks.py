"""Attacks on a real process with its pages, threads and database."""

import hashlib
from base64 import urlsafe_b64encode
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest
import requests

from forumsvc.oauth.clients import NewClient
from tests.system.process import PATIENCE

from .browser import Browser
from .service import CALLBACK, PASSWORD, Service

VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
CHALLENGE = urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).rstrip(b"=").decode()


def address(forum: Service, client: NewClient, **parameters: str) -> str:
    """Return an authorization URL; an empty parameter is left out."""
    parameters = {
        "response_type": "code",
        "client_id": client.client_id,
        "redirect_uri": CALLBACK,
        "state": "a state",
        "code_challenge": CHALLENGE,
        "code_challenge_method": "S256",
        **parameters,
    }
    query = urlencode({name: value for name, value in parameters.items() if value})
    return f"{forum.url}/oauth/authorize?{query}"


def answered(location: str) -> dict[str, str]:
    """Return the parameters of the redirect to the client."""
    return dict(parse_qsl(urlsplit(location).query, strict_parsing=True))


def exchange(forum: Service, client: NewClient, code: str, **parameters: str) -> requests.Response:
    """Fetch the token for a code."""
    form = {"redirect_uri": CALLBACK, "code_verifier": VERIFIER, **parameters}
    return forum.post(
        "token", grant_type="authorization_code", code=code, **client._asdict(), **form
    )


@pytest.fixture(scope="module")
def phone(forum: Service) -> NewClient:
    """A public client."""
    return forum.client("phone", public=True)


def test_32_parallel_exchanges_of_a_code_leave_nothing_alive(
    forum: Service, ann: Browser, phone: NewClient
) -> None:
    code = answered(ann.allow(address(forum, phone)))["code"]
    with ThreadPoolExecutor(32) as pool:
        answers = list(pool.map(lambda _: exchange(forum, phone, code), range(32)))
    given = [answer.json() for answer in answers if answer.status_code == 200]
    assert len(given) == 1
    refused = [answer for answer in answers if answer.status_code != 200]
    assert {(each.status_code, each.json()["error"]) for each in refused} == {
        (400, "invalid_grant")
    }
    assert forum.hello(given[0]["access_token"]).status_code == 401


def test_32_parallel_refreshes_leave_nothing_alive(forum: Service, phone: NewClient) -> None:
    login = {"grant_type": "password", "username": "ann", "password": PASSWORD}
    first = forum.post("token", client_id=phone.client_id, **login).json()
    again = {"grant_type": "refresh_token", "refresh_token": first["refresh_token"]}
    with ThreadPoolExecutor(32) as pool:
        answers = list(
            pool.map(lambda _: forum.post("token", client_id=phone.client_id, **again), range(32))
        )
    given = [answer.json() for answer in answers if answer.status_code == 200]
    assert len(given) == 1
    assert {answer.status_code for answer in answers} == {200, 400}
    for token in (first, *given):
        assert forum.hello(token["access_token"]).status_code == 401


def test_a_code_in_the_hands_of_another_client_is_worth_nothing(
    forum: Service, ann: Browser, phone: NewClient
) -> None:
    thief = forum.client("thief")
    code = answered(ann.allow(address(forum, phone)))["code"]
    for parameters in ({}, {"redirect_uri": ""}, {"code_verifier": ""}):
        answer = exchange(forum, thief, code, **parameters)
        assert (answer.status_code, answer.json()["error"]) == (400, "invalid_grant")
    assert exchange(forum, phone, code).status_code == 200


def test_a_challenge_cannot_be_stripped_or_weakened(
    forum: Service, ann: Browser, phone: NewClient
) -> None:
    for weaker in (
        {"code_challenge": "", "code_challenge_method": ""},
        {"code_challenge_method": "plain"},
        {"code_challenge_method": ""},
    ):
        assert answered(ann.allow(address(forum, phone, **weaker)))["error"] == "invalid_request"
    app = forum.client("app")
    stripped = address(forum, app, code_challenge="", code_challenge_method="")
    answer = exchange(forum, app, answered(ann.allow(stripped))["code"])
    assert (answer.status_code, answer.json()["error"]) == (400, "invalid_grant")


@pytest.mark.parametrize(
    "secret", ["x" * 100_000, "ü" * 5000, "\U0001f600" * 300, "x" * 1025, "\x01\x7f\u202e", "\0"]
)
def test_huge_and_strange_credentials_are_wrong_and_nothing_worse(
    forum: Service, secret: str
) -> None:
    client = forum.client("app")
    login = {"grant_type": "password", "username": "ann", "password": PASSWORD}
    good = {**client._asdict(), **login}
    for name in ("username", "password", "client_id", "client_secret", "scope"):
        answer = forum.post("token", **{**good, name: secret})
        assert answer.status_code in (400, 401), (name, answer.text)
        assert answer.json()["error"].startswith("invalid_")
    pair: Any = (client.client_id.encode(), secret.encode())
    answer = requests.post(f"{forum.url}/oauth/token", login, auth=pair, timeout=PATIENCE)
    # Beyond waitress's limit of 256 KiB for all headers nobody of ours sees it.
    assert answer.status_code in (400, 401)
    assert forum.post("token", **good).status_code == 200
