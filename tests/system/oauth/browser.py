"""A simple browser for HTML forms and redirects, and its user."""

from dataclasses import dataclass, field
from html.parser import HTMLParser
from urllib.parse import urljoin, urlsplit

import requests

from tests.system.process import PATIENCE

MAX_STEPS = 10


@dataclass
class Form:
    """A form. fields: its default values; buttons: text to name and value."""

    action: str
    method: str
    fields: dict[str, str] = field(default_factory=dict)
    types: dict[str, str] = field(default_factory=dict)
    buttons: dict[str, tuple[str, str]] = field(default_factory=dict)

    @property
    def asks_for_password(self) -> bool:
        """Whether it is a log-in form."""
        return "password" in self.types.values()


class Forms(HTMLParser):
    """Collects the forms of a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[Form] = []
        self._button: tuple[str, str] | None = None
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Record a form, a field or a button."""
        given = {name: value or "" for name, value in attrs}
        if tag == "form":
            self.found.append(Form(given.get("action", ""), given.get("method", "get").lower()))
        elif self.found and tag == "button":
            self._button = given.get("name", ""), given.get("value", "")
        elif self.found and tag == "input" and given.get("name"):
            self.found[-1].fields[given["name"]] = given.get("value", "")
            self.found[-1].types[given["name"]] = given.get("type", "text")

    def handle_data(self, data: str) -> None:
        """Record the text of a button."""
        if self._button is not None and data.strip():
            self.found[-1].buttons[data.strip()] = self._button
            self._button = None


class Browser:
    """A person with a login and a password, and the cookies of one browser."""

    def __init__(self, origin: str, login: str, password: str) -> None:
        """origin: of the forum."""
        self.http = requests.Session()
        self._origin = origin
        self._login = login
        self._password = password

    def allow(self, address: str) -> str:
        """Open an authorization URL, log in if necessary, click Allow.

        Returns the URL at which the browser leaves the forum.
        """
        return self._leave(address, "Allow")

    def cancel(self, address: str) -> str:
        """Like `allow`, but click Cancel."""
        return self._leave(address, "Cancel")

    def _leave(self, address: str, button: str) -> str:
        page = self._get(address)
        for _ in range(MAX_STEPS):
            if page.is_redirect:
                target = urljoin(page.url, page.headers["Location"])
                if not self._is_ours(target):
                    return target
                page = self._get(target)
            else:
                page = self._submit(page, button)
        raise AssertionError(f"There is no way out of {page.url}: {page.text}")

    def _submit(self, page: requests.Response, button: str) -> requests.Response:
        assert page.status_code == 200, f"{page.status_code} {page.url}: {page.text}"
        for form in Forms(page.text).found:
            sent = dict(form.fields)
            if form.asks_for_password:
                for name, kind in form.types.items():
                    if kind in ("text", "email"):
                        sent[name] = self._login
                    elif kind == "password":
                        sent[name] = self._password
            elif button in form.buttons:
                name, value = form.buttons[button]
                sent |= {name: value} if name else {}
            else:
                continue
            target = urljoin(page.url, form.action)
            assert form.method == "post"
            assert self._is_ours(target)
            headers = {"Origin": self._origin, "Accept": "text/html"}
            return self.http.post(
                target, data=sent, headers=headers, allow_redirects=False, timeout=PATIENCE
            )
        raise AssertionError(f"{page.url} has neither a log-in nor {button}: {page.text}")

    def _get(self, address: str) -> requests.Response:
        headers = {"Accept": "text/html"}
        return self.http.get(address, headers=headers, allow_redirects=False, timeout=PATIENCE)

    def _is_ours(self, address: str) -> bool:
        parts = urlsplit(address)
        return f"{parts.scheme}://{parts.netloc}" == self._origin
