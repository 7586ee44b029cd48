"""HTTP requests in the form that the load generator uses."""

import http.client
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

API = "/api/v3"


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
    """A response; the names of the headers are in lower case; cookies: the values of Set-Cookie."""

    status: int
    headers: dict[str, str]
    body: bytes
    cookies: Sequence[str] = ()


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


def ask(port: int, request: Request) -> Response:
    """Send one request to a server on this machine; return the response, whatever its status."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request(request.method, request.path, request.body, request.headers)
        response = connection.getresponse()
        headers = {name.lower(): value for name, value in response.getheaders()}
        cookies = response.headers.get_all("Set-Cookie", [])
        return Response(response.status, headers, response.read(), cookies)
    finally:
        connection.close()


def ask_json(port: int, request: Request) -> Any:
    """Send one request and return the response's JSON. Raises RuntimeError if it is not 2xx."""
    answer = ask(port, request)
    if not 200 <= answer.status < 300:
        raise RuntimeError(f"{request.method} {request.path}: {answer.status} {answer.body!r}")
    return json.loads(answer.body)


def _bearer(token: str | None) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"} if token else {}
