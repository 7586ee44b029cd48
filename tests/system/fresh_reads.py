"""Reading the same from several processes, and from the database itself."""

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
    """An answer without how often topics were read.

    beside: the headers that tell more of a list; tag: its ETag, if it has one.
    """

    status: int
    document: Any
    headers: tuple[str | None, ...] = ()
    etag: str | None = None

    def part(self, of: Part) -> tuple[Any, ...]:
        """Return the status, the part of the document that is to be compared, and the headers."""
        return self.status, of(self.document) if self.status == 200 else None, self.headers


def without_hits(value: Any) -> Any:
    """Return a JSON document without the numbers of reads."""
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
        """Read a path as somebody who may have an answer already."""
        response, body = self._send("GET", path, None, token, **{"If-None-Match": known})
        document = without_hits(json.loads(body)) if body else None
        beside = tuple(map(response.getheader, PAGE_HEADERS))
        return ObservedPage(response.status, document, beside, response.getheader("ETag"))

    def write(self, method: str, path: str, token: str | None, **form: object) -> Any:
        """Write and return what was answered, or None where that was refused."""
        sent = {"Content-Type": FORM}
        response, body = self._send(method, path, urlencode(form), token, **sent)
        assert response.status in (200, 201, *REFUSED), (method, path, form, body)
        return None if response.status in REFUSED else json.loads(body)

    def upload(self, token: str | None, image: bytes) -> str:
        """Upload a picture and return its address."""
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
        """Hang up."""
        self._connection.close()


@dataclass
class UncachedForum:
    """What an application of this process says that keeps nothing."""

    application: Any

    def read(self, path: str, token: str | None) -> ObservedPage:
        """Read a path."""
        request = Request.blank(API + path, headers=_headers(token))
        response = request.get_response(self.application)
        beside = tuple(map(response.headers.get, PAGE_HEADERS))
        return ObservedPage(response.status_int, without_hits(response.json), beside)


@dataclass
class EnvelopeProcesses:
    """The processes that answer in one shape, and who knows the truth in it."""

    processes: list[Process]
    truth: UncachedForum


@dataclass
class CacheChecker:
    """Compares what one of many readers is shown with the truth.

    known: by shape, path and token, the last answer with a tag; seen: how often what came.
    """

    shapes: list[EnvelopeProcesses]
    choices: random.Random
    known: dict[tuple[Any, ...], ObservedPage] = field(default_factory=dict)
    seen: Counter[str] = field(default_factory=Counter)

    def compare(self, path: str, token: str | None, of: Part, after: str) -> None:
        """Fail where a process shows something else than the truth.

        of: which part of a document nobody else changes, but for those who change everybody's;
        after: what was written last.
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
