"""oauthlib's authorization code grant, with S256 as the only code challenge method."""

import base64
import hashlib
import hmac
import re
from typing import Any

from oauthlib.common import Request
from oauthlib.oauth2 import InvalidRequestError
from oauthlib.oauth2.rfc6749.grant_types import AuthorizationCodeGrant

_CHALLENGE = re.compile(r"[A-Za-z0-9_-]{43}", re.ASCII)


def verify_s256(verifier: str, challenge: str) -> bool:
    """Return whether a challenge belongs to a verifier (RFC 7636 §4.6)."""
    hashed = hashlib.sha256(verifier.encode("utf-8", "surrogatepass")).digest()
    expected = base64.urlsafe_b64encode(hashed).rstrip(b"=")
    return hmac.compare_digest(expected, challenge.encode("utf-8", "surrogatepass"))


def _check_challenge(request: Request) -> dict[str, Any]:
    challenge = request.code_challenge
    if challenge is not None and not _CHALLENGE.fullmatch(challenge):
        raise InvalidRequestError("code_challenge is not that of S256.", request=request)
    return {}


class CodeGrant(AuthorizationCodeGrant):
    """The grant without the method `plain`, which is oauthlib's default."""

    _code_challenge_methods = {"S256": verify_s256}  # noqa: RUF012 - as oauthlib declares it

    def __init__(self, request_validator: Any) -> None:
        """Validate the format of the challenge before oauthlib uses it."""
        super().__init__(request_validator, pre_auth=[_check_challenge])
