"""Somebody with a browser: cookies, forms, and the page behind a redirect."""

from collections.abc import Mapping, Sequence
from html.parser import HTMLParser
from http.cookies import SimpleCookie
from urllib.parse import urlencode, urljoin, urlsplit

from benchmarks.request import Request, Response, ask

Fields = Mapping[str, str | Sequence[str]]
_REDIRECTS = 5


class Browser:
    """A browser at the server of a port."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.cookies: dict[str, str] = {}

    @property
    def headers(self) -> dict[str, str]:
        """What it sends with each request."""
        found = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        return {"Cookie": found} if found else {}

    def get(self, path: str) -> str:
        """Load a page, behind redirects; return its text. Raises RuntimeError if it is not 200."""
        return self._load(Request("GET", path, self._headers()))

    def post(
        self,
        path: str,
        fields: Mapping[str, str | Sequence[str]],
        headers: dict[str, str] | None = None,
    ) -> str:
        """Send a form, and return the page to which it leads. Raises RuntimeError as above."""
        return self._load(self.form_request(path, fields, headers))

    def form_request(
        self,
        path: str,
        fields: Mapping[str, str | Sequence[str]],
        headers: dict[str, str] | None = None,
    ) -> Request:
        """Return the request that sends a form."""
        kind = {"Content-Type": "application/x-www-form-urlencoded"}
        sent = {**self._headers(), **kind, **(headers or {})}
        return Request("POST", path, sent, urlencode(fields, doseq=True))

    def _headers(self) -> dict[str, str]:
        return {"Host": f"127.0.0.1:{self.port}", **self.headers}

    def _load(self, request: Request) -> str:
        path = request.path
        for _ in range(_REDIRECTS):
            answer = ask(self.port, request)
            self._keep_cookies(answer)
            if answer.status not in (301, 302, 303, 307, 308):
                break
            target = urlsplit(urljoin(path, answer.headers["location"]))
            path = target.path + (f"?{target.query}" if target.query else "")
            request = Request("GET", path, self._headers())
        if answer.status != 200:
            raise RuntimeError(f"{request.method} {path}: {answer.status} {answer.body[:2000]!r}")
        return answer.body.decode()

    def _keep_cookies(self, answer: Response) -> None:
        for line in answer.cookies:
            for name, morsel in SimpleCookie(line).items():
                self.cookies[name] = morsel.value
                if morsel["max-age"] == "0" or not morsel.value:
                    del self.cookies[name]


class _Forms(HTMLParser):
    """The forms of a page: each its action and the fields that a browser would send."""

    def __init__(self) -> None:
        super().__init__()
        self.forms: list[tuple[str, dict[str, str]]] = []
        self._textarea = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        if tag == "form":
            self.forms.append((found.get("action", ""), {}))
        elif tag in ("input", "textarea", "select") and self.forms and found.get("name"):
            box = found.get("type") in ("checkbox", "radio") and "checked" not in found
            if not box and found.get("type") not in ("submit", "file", "button"):
                self.forms[-1][1].setdefault(found["name"], found.get("value", ""))


def form_with(page: str, field: str) -> tuple[str, dict[str, str]]:
    """Return action and fields of the last form with this field. Raises RuntimeError."""
    parser = _Forms()
    parser.feed(page)
    for action, fields in reversed(parser.forms):
        if field in fields:
            return action, fields
    raise RuntimeError(f"There is no form with {field} in this page: {page[:2000]}")
