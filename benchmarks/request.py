"""HTTP requests, as both load generators take them."""

import json
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Request:
    """One request; `path` includes the query."""

    method: str
    path: str
    headers: dict[str, str] = field(default_factory=dict)
    body: str | None = None

    def raw(self, host: str) -> bytes:
        """Return it as it goes over the line (HTTP/1.1)."""
        headers = {"Host": host, **self.headers}
        if self.body is not None:
            headers["Content-Length"] = str(len(self.body.encode()))
        lines = [f"{self.method} {self.path} HTTP/1.1"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        return "\r\n".join([*lines, "", self.body or ""]).encode()


def get(path: str, token: str | None = None) -> Request:
    """Return a reading request; token: whose."""
    return Request("GET", path, _bearer(token))


def send(method: str, path: str, token: str, content: dict[str, Any]) -> Request:
    """Return a writing request with a JSON body."""
    headers = {"Content-Type": "application/json", **_bearer(token)}
    return Request(method, path, headers, json.dumps(content))


def _bearer(token: str | None) -> dict[str, str]:
    """Return the header for an access token."""
    return {"Authorization": f"Bearer {token}"} if token else {}
