"""Redirect URIs: which may be registered, and which match (RFC 8252 §7, RFC 9700 §2.1)."""

import re
from urllib.parse import SplitResult, urlsplit

from oauthlib.uri_validate import is_absolute_uri

MAX_LENGTH = 2000
"""Characters."""

_CHARACTERS = re.compile(r"[!-~]+", re.ASCII)
_PRIVATE_SCHEME = re.compile(r"[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+", re.ASCII)
_LOOPBACK = {"127.0.0.1", "::1"}


def validation_error(uri: str) -> str | None:
    """Return a message that says why a redirect URI cannot be registered, or None if it can.

    Allowed: https; http on the loopback interface or `localhost`; a private-use scheme that is a
    reversed domain name.
    """
    parts = _split(uri)
    if parts is None:
        return "must be an absolute URI without a fragment"
    if "@" in parts.netloc:
        return "must not contain a user name"
    if parts.scheme in ("http", "https") and not parts.hostname:
        return "must have a host"
    if parts.scheme == "http" and parts.hostname not in _LOOPBACK | {"localhost"}:
        return "must be https, unless it is on the loopback interface"
    if parts.scheme not in ("http", "https") and not _PRIVATE_SCHEME.fullmatch(parts.scheme):
        return "must be https, http on the loopback interface, or a scheme such as com.example.app"
    return None


def absolute_uri(registered: str, issuer: str) -> str:
    """Return a registered redirect URI as an absolute one.

    Only built-in clients register a path; it is relative to the issuer.
    """
    return issuer + registered if registered.startswith("/") else registered


def matches(registered: str, requested: str, issuer: str) -> bool:
    """Return whether the redirect URI of a request matches a registered one.

    The comparison is exact, except for the port of a loopback address, which a native application
    cannot know in advance (RFC 8252 §7.3). issuer: the base URL of this service.
    """
    if absolute_uri(registered, issuer) == requested:
        return True
    registered_parts, requested_parts = _split(registered), _split(requested)
    if registered_parts is None or requested_parts is None:
        return False
    if registered_parts.scheme != "http" or registered_parts.hostname not in _LOOPBACK:
        return False
    return _without_port(registered_parts) == _without_port(requested_parts)


def _split(uri: str) -> SplitResult | None:
    if len(uri) > MAX_LENGTH or not _CHARACTERS.fullmatch(uri) or not is_absolute_uri(uri):
        return None
    try:
        parts = urlsplit(uri)
        parts.port  # noqa: B018 - reading it validates it
    except ValueError:
        return None
    return None if "#" in uri else parts


def _without_port(parts: SplitResult) -> tuple[str, str, str, str]:
    authority = re.sub(r":[0-9]*$", "", parts.netloc)
    return parts.scheme, authority, parts.path, parts.query
