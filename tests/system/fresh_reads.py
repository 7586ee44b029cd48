"""Compares responses of several processes with the content of the database."""

import http.client
import json
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from webob import Request

from forumsvc.web.responses.links import PAGE_HEADERS
from tests.functional.forum import API
from tests.system.process import PATIENCE

FORM = "application/x-www-form-urlencoded"
REFUSED = (403, 404)

Part = Callable[[Any], Any]


@dataclass(frozen=True)
class ObservedPage:
    """A response without the view counts.

    headers: those with paging data; etag: its ETag, if it has one.
    """

    status: int
    document: Any
    headers: tuple[str | None, ...] = ()
    etag: str | None = None

    def part(self, of: Part) -> tuple[Any, ...]:
        """Return the status, the part of the document to compare, and the headers."""
        return self.status, of(self.document) if self.status == 200 else None, self.headers


def without_hits(value: Any) -> Any:
    """Return a JSON document without view counts."""
    if isinstance(value, dict):
        return {name: without_hits(each) for name, each in value.items() if name != "hits"}
    return [without_hits(each) for each in value] if isinstance(value, list) else value


def _headers(token: str | None, **more: str | None) -> dict[str, str]:
    bearer = None if token is None else f"Bearer {token}"
    headers = {"Authorization": bearer, **more}
    return {name: value for name, value in headers.items() if value is not None}


class Process:
    """A server process, over a connection that is kept alive and belongs to one thread."""

    def __init__(self, port: int) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)

    def read(self, path: str, token: str | None, known: str | None) -> ObservedPage:
        """Read a path with an optional known ETag."""
        response, body = self._send("GET", path, None, token, **{"If-None-Match": known})
        document = without_hits(json.loads(body)) if body else None
        beside = tuple(map(response.getheader, PAGE_HEADERS))
        return ObservedPage(response.status, document, beside, response.getheader("ETag"))

    def write(self, method: str, path: str, token: str | None, **form: object) -> Any:
        """Write and return the response, or None if it was refused."""
        sent = {"Content-Type": FORM}
        response, body = self._send(method, path, urlencode(form), token, **sent)
        assert response.status in (200, 201, *REFUSED), (method, path, form, body)
        return None if response.status in REFUSED else json.loads(body)

    def upload(self, token: str | None, image: bytes) -> str:
        """Upload an image and return its URL."""
        body = b'--x\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\n\r\n'
        body += image + b"\r\n--x--\r\n"
        sent = {"Content-Type": "multipart/form-data; boundary=x"}
        response, answered = self._send("POST", "/photos", body, token, **sent)
        assert response.status in (200, 201), answered
        return str(json.loads(answered)["image_url"])

    def _send(
        self,
        method: str,
        path: str,
        body: str | bytes | None,
        token: str | None,
        **headers: str | None,
    ) -> tuple[http.client.HTTPResponse, bytes]:
        self._connection.request(method, API + path, body, _headers(token, **headers))
        response = self._connection.getresponse()
        return response, response.read()

    def close(self) -> None:
        self._connection.close()


@dataclass
class UncachedForum:
    """An application in this process without a cache: its responses are the expected ones."""

    application: Any

    def read(self, path: str, token: str | None) -> ObservedPage:
        """Read a path."""
        request = Request.blank(API + path, headers=_headers(token))
        response = request.get_response(self.application)
        beside = tuple(map(response.headers.get, PAGE_HEADERS))
        return ObservedPage(response.status_int, without_hits(response.json), beside)


@dataclass
class EnvelopeProcesses:
    """The processes with the same envelope, and the uncached forum with it."""

    processes: list[Process]
    truth: UncachedForum


@dataclass
class CacheChecker:
    """Compares the responses to one of many readers with the expected ones.

    known: by shape, path and token, the last response with an ETag; seen: counts of events.
    """

    shapes: list[EnvelopeProcesses]
    choices: random.Random
    known: dict[tuple[Any, ...], ObservedPage] = field(default_factory=dict)
    seen: Counter[str] = field(default_factory=Counter)

    def compare(self, path: str, token: str | None, of: Part, after: str) -> None:
        """Fail if a process returns something else than the uncached forum.

        of: the part of a document that no other writer changes; after: the last write.
        """
        for number, shape in enumerate(self.shapes):
            key = (number, path, token)
            true = shape.truth.read(path, token).part(of)
            for process in shape.processes:
                while (shown := self._read(key, process, after).part(of)) != true:
                    now = shape.truth.read(path, token).part(of)
                    assert now != true, (after, path, token, "shown", shown, "true", true)
                    true = now
                    self.seen["overtaken"] += 1

    def _read(self, key: tuple[Any, ...], process: Process, after: str) -> ObservedPage:
        _, path, token = key
        known = self.known.get(key)
        if self.choices.random() < 0.3:
            known = None
        shown = process.read(path, token, known.etag if known else None)
        self.seen[str(shown.status)] += 1
        if shown.status == 304:
            assert known is not None, (after, path)
            assert shown.etag == known.etag, (after, path)
            return known
        before = self.known.get(key)
        if before and shown.etag == before.etag and shown.document != before.document:
            # Made while a change was being committed, an answer may be newer than its tag.
            late = process.read(path, token, shown.etag)
            assert late.status == 200, (after, path, token, "one tag", before, shown)
        if shown.etag is not None:
            self.known[key] = shown
        return shown
