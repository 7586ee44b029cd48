"""Registering clients, and the redirect URIs that they may have."""

import pytest
from sqlalchemy import select

from forumsvc.errors import Invalid
from forumsvc.models import OAuthClient
from forumsvc.oauth import clients, redirects
from tests.cases import each

from .oauth_fixture import ISSUER, OAuthFixture

GRANTS = ("password", "refresh_token")


def test_of_a_secret_of_256_random_bits_the_hash_is_stored(oauth: OAuthFixture) -> None:
    secret = oauth.app.client_secret
    assert secret is not None
    assert len(secret) == 43
    with oauth.database.reads.connect() as connection:
        stored = connection.execute(
            select(OAuthClient.secret_hash).where(OAuthClient.client_id == oauth.app.client_id)
        ).scalar_one()
    assert stored == clients.hash_token(secret)


@each(
    ("field", "options"),
    [
        ("grants", {"grants": ("implicit",)}),
        ("grants", {"grants": ()}),
        ("grants", {"grants": ("client_credentials",), "public": True}),
        ("scopes", {"scopes": ("root",)}),
        ("scopes", {"scopes": ()}),
        ("redirect_uri", {"redirect_uris": ("http://a.example/",)}),
        *(("name", {"name": name}) for name in ("  ", "x" * 101, "a\0b", "a\nb", "\u202egpj.exe")),
    ],
)
def test_an_invalid_client_is_rejected_with_the_field(
    oauth: OAuthFixture, field: str, options: dict[str, object]
) -> None:
    with pytest.raises(Invalid) as refused:
        oauth.client(**{"name": "x", "grants": GRANTS, **options})  # type: ignore[arg-type]
    assert refused.value.field == field


@each(
    "uri",
    [
        *(
            "https://app.example",
            "https://app.example:8443/cb?tenant=1",
            "http://localhost:3000/cb",
        ),
        *("http://127.0.0.1/cb", "http://[::1]:8000/cb", "com.example.app:/cb"),
    ],
)
def test_these_redirect_uris_can_be_registered(uri: str) -> None:
    assert redirects.validation_error(uri) is None


@each(
    "uri",
    [
        *("", "/cb", "//app.example/cb", "http://app.example/cb", "https:///cb", "https://:80/cb"),
        *("http://127.0.0.1.evil.example/cb", "http://localhost.evil.example/cb", "myapp:/cb"),
        *("https://app.example/cb#", "https://user@app.example/cb", "https://app.example:99999/cb"),
        *("https://app.example/c b", "https://app.example/\r\nX: y", "https://\u00e4pp.example/"),
        *("javascript:alert(1)", "data:text/html,x", "/docs/oauth2-redirect.html"),
        *("urn:ietf:wg:oauth:2.0:oob", "https://app.example/" + "x" * 2000),
    ],
)
def test_these_redirect_uris_cannot_be_registered(uri: str) -> None:
    assert redirects.validation_error(uri) is not None


@each(
    ("registered", "issued"),
    [
        ("https://app.example/cb", "https://app.example/cb"),
        ("http://127.0.0.1/cb", "http://127.0.0.1:51004/cb"),
        ("http://127.0.0.1:80/cb?a=1", "http://127.0.0.1:51004/cb?a=1"),
        ("http://[::1]/cb", "http://[::1]:51004/cb"),
    ],
)
def test_a_redirect_uri_matches_exactly_except_for_a_loopback_port(
    registered: str, issued: str
) -> None:
    assert redirects.matches(registered, issued, ISSUER)


@each(
    ("registered", "issued"),
    [
        ("https://app.example/cb", "https://app.example/cb/"),
        ("https://app.example/cb", "https://app.example/CB"),
        ("https://app.example/cb", "https://APP.example/cb"),
        ("https://app.example/cb", "https://app.example:443/cb"),
        ("https://app.example/cb", "https://app.example/cb?x=1"),
        ("https://app.example/cb", "https://app.example/cb/../evil"),
        ("https://app.example/cb", "https://app.example.evil.example/cb"),
        ("https://app.example/cb", "http://app.example/cb"),
        ("http://localhost/cb", "http://localhost:51004/cb"),
        ("http://127.0.0.1/cb", "http://127.0.0.1:51004/other"),
        ("http://127.0.0.1/cb", "http://127.0.0.1:51004/cb?x=1"),
        ("http://127.0.0.1/cb", "https://127.0.0.1:51004/cb"),
        ("http://127.0.0.1/cb", "http://[::1]:51004/cb"),
        ("http://127.0.0.1/cb", "http://127.0.0.1:51004@evil.example/cb"),
        ("http://127.0.0.1/cb", "http://evil@127.0.0.1:51004/cb"),
        ("http://127.0.0.1/cb", "http://127.0.0.1:x/cb"),
        ("http://127.0.0.1/cb", "http://127.0.0.1:51004/cb#x"),
        ("http://127.0.0.1/cb", "http://127.0.0.1:51004\\@evil.example/cb"),
    ],
)
def test_anything_else_does_not_match(registered: str, issued: str) -> None:
    assert not redirects.matches(registered, issued, ISSUER)
