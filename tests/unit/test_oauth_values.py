"""Bodies that become parameters (RFC 6749 §3.2 and Appendix B), URIs, and PKCE's comparison."""

from base64 import b64encode

import pytest
from oauthlib.oauth2 import InvalidRequestError

from forumsvc.oauth import code_grant, redirects
from forumsvc.oauth.messages import OAuthRequest, client_credentials, known_parameters, read_body
from tests.cases import each

FORM = "application/x-www-form-urlencoded"
JSON = "application/json"
PARTS = "multipart/form-data; boundary=x"


def part(name: bytes, value: bytes) -> bytes:
    return b'--x\r\nContent-Disposition: form-data; name="%b"\r\n\r\n%b\r\n' % (name, value)


@each("kind", [FORM, FORM + "; charset=UTF-8", "", FORM.upper()])
def test_a_form_is_read(kind):
    assert read_body(kind, b"a=1&b=%C3%A9+x&a=2&c=&d=\xc3\xa9%C3%A9") == [
        ("a", "1"),
        ("b", "\u00e9 x"),
        ("a", "2"),
        ("c", ""),
        ("d", "\u00e9\u00e9"),
    ]


def test_a_multipart_form_is_read():
    body = part(b"a", b"1") + part(b"b", b"\xc3\xa9 +%20") + part(b"c", b"") + b"--x--\r\n"
    assert read_body(PARTS, body) == [("a", "1"), ("b", "\u00e9 +%20"), ("c", "")]


@each(
    ("kind", "body"),
    [
        (FORM, b"a=\xff"),
        (FORM, b"a=%ff"),
        (FORM, b"a=" + 200_000 * b"%"),
        (FORM, b"&".join(b"a%d=1" % number for number in range(101))),
        (FORM, b"a=" + 300_000 * b"1"),
        (JSON, b'[["grant_type", "password"]]'),
        (JSON, b"{"),
        (JSON, b'{"a": 1}'),
        (JSON, b'{"a": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"),
        (JSON, b'{"a": "' + 300_000 * b"1" + b'"}'),
        (PARTS, part(b"a", b"\xff") + b"--x--\r\n"),
        (PARTS, part(b"a", b"1")),
        (PARTS, part(b"a", b"1") * 101 + b"--x--\r\n"),
        (PARTS, part(b"a", b"1" * 300_000) + b"--x--\r\n"),
        ("multipart/form-data", part(b"a", b"1") + b"--x--\r\n"),
        ("text/plain", b"a=1"),
    ],
)
def test_a_body_that_is_neither_or_too_large_is_rejected(kind, body):
    with pytest.raises(InvalidRequestError):
        read_body(kind, body)


def call(
    *parameters: tuple[str, str], uri: str = "http://forum.example/oauth/token"
) -> OAuthRequest:
    return OAuthRequest("POST", uri, {}, parameters)


def test_empty_and_unknown_parameters_are_ignored():
    made = call(("a", ""), ("a", "1"), ("x", "\0"), ("x", "2"))
    assert known_parameters(made, {"a"}) == {"a": "1"}


@each("value", ["\0", "a\0b", "\ud800", "x" * 8193])
def test_text_that_cannot_be_stored_is_rejected(value):
    with pytest.raises(InvalidRequestError, match="unreadable"):
        known_parameters(call(("a", value)), {"a"})


def test_a_duplicate_parameter_is_rejected():
    with pytest.raises(InvalidRequestError, match="Duplicate a parameter"):
        known_parameters(call(("a", "1"), ("a", "1")), {"a"})
    doubled = read_body(JSON, b'{"a": "1", "a": "2"}')
    with pytest.raises(InvalidRequestError, match="Duplicate"):
        known_parameters(call(*doubled), {"a"})


def test_a_parameter_in_the_query_is_rejected():
    uri = "http://forum.example/oauth/token?a=1"
    with pytest.raises(InvalidRequestError, match="not in the URL"):
        known_parameters(call(uri=uri), {"a"})
    assert known_parameters(call(("a", "1"), uri=uri.replace("?a", "?utm")), {"a"}) == {"a": "1"}


def basic(user: str, password: str) -> dict[str, str]:
    """Return the header of HTTP Basic."""
    return {"Authorization": "Basic " + b64encode(f"{user}:{password}".encode()).decode()}


def test_basic_credentials_are_form_encoded_inside():
    assert client_credentials(basic("a%3Ab", "%C3%A9+%25"), {}) == ("a:b", "\u00e9 %")
    assert client_credentials(basic("a", "b:c"), {}) == ("a", "b:c")


def test_the_same_client_id_may_also_be_in_the_body():
    assert client_credentials(basic("a", "b"), {"client_id": "a"}) == ("a", "b")
    with pytest.raises(InvalidRequestError, match="different clients"):
        client_credentials(basic("a", "b"), {"client_id": "c"})


def test_the_comparison_is_that_of_rfc_7636_appendix_b():
    verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    assert code_grant.verify_s256(verifier, "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
    assert not code_grant.verify_s256(verifier, verifier)
    assert not code_grant.verify_s256("é", "é")


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
def test_these_redirect_uris_can_be_registered(uri):
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
def test_these_redirect_uris_cannot_be_registered(uri):
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
def test_a_redirect_uri_matches_exactly_except_for_a_loopback_port(registered, issued):
    assert redirects.matches(registered, issued, "https://forum.example")


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
def test_anything_else_does_not_match(registered, issued):
    assert not redirects.matches(registered, issued, "https://forum.example")
