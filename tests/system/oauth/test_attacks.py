"""Codes and refresh tokens that are used many times at once, in a real process."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest

from .service import CALLBACK, PASSWORD

VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
REQUEST = {
    "response_type": "code",
    "redirect_uri": CALLBACK,
    "code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
    "code_challenge_method": "S256",
}


@pytest.mark.parametrize("grant", ["authorization_code", "refresh_token"])
def test_32_parallel_uses_of_a_code_or_refresh_token_leave_nothing_alive(forum, ann, grant):
    client = {"client_id": forum.client("phone", public=True).client_id}
    form: dict[str, Any] = {**client, "grant_type": grant}
    tokens = []
    if grant == "authorization_code":
        left_at = ann.allow(f"{forum.url}/oauth/authorize?{urlencode({**REQUEST, **client})}")
        [code] = parse_qs(urlsplit(left_at).query)["code"]
        form |= {"code": code, "redirect_uri": CALLBACK, "code_verifier": VERIFIER}
    else:
        login = {"grant_type": "password", "username": "ann", "password": PASSWORD}
        tokens = [forum.post("token", **client, **login).json()]
        form["refresh_token"] = tokens[0]["refresh_token"]
    with ThreadPoolExecutor(32) as pool:
        answers = list(pool.map(lambda _: forum.post("token", **form), range(32)))
    won = [answer.json() for answer in answers if answer.status_code == 200]
    assert len(won) == 1
    refused = {(one.status_code, one.json()["error"]) for one in answers if not one.ok}
    assert refused == {(400, "invalid_grant")}
    for token in (*tokens, *won):
        assert forum.hello(token["access_token"]).status_code == 401
