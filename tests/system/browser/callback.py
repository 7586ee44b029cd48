"""A native application: it opens the browser, waits for it, and fetches its token."""

import base64
import hashlib
import json
import secrets
import urllib.error
import urllib.request
from dataclasses import dataclass, field
from urllib.parse import parse_qs, urlencode, urlsplit

VERIFIER = secrets.token_urlsafe(40)


@dataclass
class Callback:
    """The redirect URI of an application. arrived: the requested paths."""

    uri: str
    arrived: list[str] = field(default_factory=list)

    def request(self, client_id: str, state: str = "the state") -> str:
        digest = hashlib.sha256(VERIFIER.encode()).digest()
        return "/oauth/authorize?" + urlencode(
            {
                "response_type": "code",
                "client_id": client_id,
                "redirect_uri": self.uri,
                "scope": "read write",
                "state": state,
                "code_challenge": base64.urlsafe_b64encode(digest).rstrip(b"=").decode(),
                "code_challenge_method": "S256",
            }
        )

    def answer(self) -> dict[str, str]:
        """Return the parameters with which the browser was redirected."""
        back = [path for path in self.arrived if path.startswith("/back?")]
        assert len(back) == 1, self.arrived
        return {name: values[0] for name, values in parse_qs(urlsplit(back[0]).query).items()}

    def token(self, address: str, client_id: str, code: str) -> str:
        form = {
            "grant_type": "authorization_code",
            "client_id": client_id,
            "code": code,
            "redirect_uri": self.uri,
            "code_verifier": VERIFIER,
        }
        with urllib.request.urlopen(  # noqa: S310 - our own address
            f"{address}/oauth/token", urlencode(form).encode()
        ) as response:
            return json.load(response)["access_token"]


def hello(address: str, token: str) -> tuple[int, str | None]:
    """Return the status of GET /hello with a token, and the token's user."""
    request = urllib.request.Request(  # noqa: S310 - our own address
        f"{address}/api/v3/hello", headers={"Authorization": f"Bearer {token}"}
    )
    try:
        with urllib.request.urlopen(request) as response:  # noqa: S310 - our own address
            return response.status, json.load(response)["current_user"]
    except urllib.error.HTTPError as error:
        error.close()
        return error.code, None
