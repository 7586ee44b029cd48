"""HTTP requests in the form that both load generators use."""

import json
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode


@dataclass(frozen=True)
class Request:
    """One request; `path` includes the query."""

    method: str
    path: str
    headers: dict[str, str] = field(default_factory=dict)
    body: str | None = None

    def raw(self, host: str) -> bytes:
        """Return its bytes in HTTP/1.1."""
        headers = {"Host": host, **self.headers}
        if self.body is not None:
            headers["Content-Length"] = str(len(self.body.encode()))
        lines = [f"{self.method} {self.path} HTTP/1.1"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        return "\r\n".join([*lines, "", self.body or ""]).encode()


@dataclass(frozen=True)
class Response:
    """A response; the names of the headers are in lower case."""

    status: int
    headers: dict[str, str]
    body: bytes


def get(path: str, token: str | None = None, headers: dict[str, str] | None = None) -> Request:
    """Return a reading request; token: whose; headers: further ones."""
    return Request("GET", path, {**_bearer(token), **(headers or {})})


def send(method: str, path: str, token: str, content: dict[str, Any] | None = None) -> Request:
    """Return a writing request, with a JSON body where there is content."""
    if content is None:
        return Request(method, path, _bearer(token))
    headers = {"Content-Type": "application/json", **_bearer(token)}
    return Request(method, path, headers, json.dumps(content))


def form(path: str, fields: dict[str, str]) -> Request:
    """Return a POST of a form."""
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    return Request("POST", path, headers, urlencode(fields))


def _bearer(token: str | None) -> dict[str, str]:
    """Return the header for an access token."""
    return {"Authorization": f"Bearer {token}"} if token else {}
