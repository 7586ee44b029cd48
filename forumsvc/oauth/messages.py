"""Requests and responses of the OAuth endpoints, independent of the web framework."""

import base64
import binascii
import io
import json
import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, unquote_plus, urlsplit

from multipart import MultipartError, MultipartParser, parse_options_header
from oauthlib.oauth2 import InvalidClientError, InvalidRequestError, OAuth2Error

from ..text.urlencoded import FormError, parse_urlencoded

MAX_PARAMETERS = 100
MAX_VALUE = 8192
"""Characters of one parameter."""
MAX_BODY = 256 * 1024
"""Bytes: enough for all known parameters. Parsing JSON takes many times as much memory."""

NO_STORE = {"Cache-Control": "no-store", "Pragma": "no-cache"}
_NOT_IN_DESCRIPTION = re.compile(r"[^\x20\x21\x23-\x5b\x5d-\x7e]")


class OAuthRequest(NamedTuple):
    """A request. parameters: those of the body, decoded, in order; address: the client's IP."""

    method: str
    uri: str
    headers: Mapping[str, str]
    parameters: Sequence[tuple[str, str]]
    address: str = ""


class OAuthResponse(NamedTuple):
    """A response. body: a JSON object; commit: whether to commit even if this is an error."""

    status: int
    headers: dict[str, str]
    body: dict[str, Any]
    commit: bool


class _JsonObject(list[tuple[str, Any]]):
    """A JSON object as a list of pairs, so that duplicate names are detected."""


def read_body(content_type: str, body: bytes) -> list[tuple[str, str]]:
    """Return the parameters of a form (RFC 6749 Appendix B) or of a JSON object of strings.

    The form may be a multipart one, too, which some client libraries send. content_type: the value
    of the header; an empty one means a form. Raises InvalidRequestError.
    """
    media_type = content_type.partition(";")[0].strip().lower()
    if not body:
        return []
    if len(body) > MAX_BODY:
        raise InvalidRequestError("The body is too large.")
    if media_type == "application/json":
        return _read_json(body)
    if media_type == "multipart/form-data":
        return _read_multipart(content_type, body)
    if media_type not in ("", "application/x-www-form-urlencoded"):
        raise InvalidRequestError("The body must be a form or JSON.")
    try:
        return parse_urlencoded(body, MAX_PARAMETERS)
    except FormError as error:
        raise InvalidRequestError(f"The body {error}.") from None


def _read_multipart(content_type: str, body: bytes) -> list[tuple[str, str]]:
    boundary = parse_options_header(content_type)[1].get("boundary", "")
    parser = MultipartParser(
        io.BytesIO(body), boundary, len(body), part_limit=MAX_PARAMETERS, spool_limit=MAX_BODY
    )
    try:
        return [(part.name, part.raw.decode()) for part in parser]
    except (MultipartError, UnicodeDecodeError):
        raise InvalidRequestError("The body is not a multipart form of texts in UTF-8.") from None


def _read_json(body: bytes) -> list[tuple[str, str]]:
    try:
        document = json.loads(body.decode("utf-8"), object_pairs_hook=_JsonObject)
    except (ValueError, RecursionError):
        raise InvalidRequestError("The body is not JSON in UTF-8.") from None
    if not isinstance(document, _JsonObject):
        raise InvalidRequestError("The body must be a JSON object.")
    for _, value in document:
        if value is not None and not isinstance(value, str):
            raise InvalidRequestError("Every value in the body must be a string.")
    return [(name, value) for name, value in document if value is not None]


def known_parameters(request: OAuthRequest, names: Collection[str]) -> dict[str, str]:
    """Return the parameters that an endpoint knows; empty ones count as missing.

    Only known names may reach oauthlib: it would take a parameter named `user` or
    `extra_credentials` for its own attribute. Raises InvalidRequestError for a duplicate, for a
    parameter in the query (RFC 6749 §§2.3.1, 3.2), and for text that cannot be stored.
    """
    query = urlsplit(request.uri).query
    if any(name in names for name, _ in parse_qsl(query, keep_blank_values=True)):
        raise InvalidRequestError("Parameters belong in the body, not in the URL.")
    return unique_parameters(request.parameters, names)


def unique_parameters(
    parameters: Sequence[tuple[str, str]], names: Collection[str]
) -> dict[str, str]:
    """Return the parameters with these names.

    Raises InvalidRequestError if one comes twice or cannot be read.
    """
    result: dict[str, str] = {}
    for name, value in parameters:
        if name not in names or not value:
            continue
        if name in result:
            raise InvalidRequestError(f"Duplicate {name} parameter.")
        if len(value) > MAX_VALUE or "\0" in value or not _encodable(value):
            raise InvalidRequestError(f"The {name} parameter is unreadable.")
        result[name] = value
    return result


def _encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def client_credentials(
    headers: Mapping[str, str], parameters: Mapping[str, str]
) -> tuple[str | None, str | None]:
    """Return the client_id and the client secret of a request, each None if missing.

    They come from HTTP Basic (form-encoded) or from the body, not from both (RFC 6749 §2.3.1).
    Raises InvalidClientError or InvalidRequestError.
    """
    body_id, secret = parameters.get("client_id"), parameters.get("client_secret")
    scheme, _, encoded = headers.get("Authorization", "").strip().partition(" ")
    if scheme.lower() != "basic":
        return body_id, secret
    try:
        text = base64.b64decode(encoded.strip().encode(), validate=True).decode("utf-8")
        client_id, colon, password = text.partition(":")
        client_id = unquote_plus(client_id, errors="strict")
        password = unquote_plus(password, errors="strict")
    except (binascii.Error, ValueError):
        raise InvalidClientError("The Authorization header is unreadable.") from None
    if not colon or not client_id or "\0" in text or "\0" in client_id:
        raise InvalidClientError("The Authorization header is unreadable.")
    if secret is not None:
        raise InvalidRequestError("Two ways of client authentication at once.")
    if body_id not in (None, client_id):
        raise InvalidRequestError("Two different clients in one request.")
    return client_id, password or None


def error_response(error: OAuth2Error, *, commit: bool = False) -> OAuthResponse:
    """Return the error response of RFC 6749 §5.2."""
    body = {"error": error.error}
    if error.description:
        body["error_description"] = _NOT_IN_DESCRIPTION.sub("?", error.description)
    return OAuthResponse(error.status_code, error_headers(error.status_code), body, commit)


def error_headers(status: int) -> dict[str, str]:
    """Return the headers of an error response; a 401 names the authentication scheme."""
    if status == 401:
        return {**NO_STORE, "WWW-Authenticate": 'Basic realm="oauth", charset="UTF-8"'}
    return dict(NO_STORE)
