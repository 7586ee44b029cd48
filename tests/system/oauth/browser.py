"""A simple browser for the log-in and the consent page, and its user."""

import re
from html import unescape
from typing import Any
from urllib.parse import urljoin

import requests

from tests.system.process import PATIENCE

_HIDDEN = re.compile(r'<input type="hidden" name="(\w+)" value="([^"]*)"')
_ACTION = re.compile(r'<main.*<form[^>]* action="([^"]*)"', re.DOTALL)
_MAIN = re.compile(r"<main.*</main>", re.DOTALL)


class Browser:
    """A person with a login and a password, and the cookies of one browser."""

    def __init__(self, origin: str, login: str, password: str) -> None:
        """origin: of the forum."""
        self.http = requests.Session()
        self.http.headers["Accept"] = "text/html"
        self._origin = origin
        self._known = {"username": login, "password": password}

    def allow(self, address: str) -> str:
        """Open an authorization URL, log in if necessary, click Allow.

        Returns the URL at which the browser leaves the forum.
        """
        page = self._send("GET", address)
        while page.status_code in (200, 302, 303):
            if page.is_redirect:
                target = urljoin(page.url, page.headers["Location"])
                if not target.startswith(f"{self._origin}/"):
                    return target
                page = self._send("GET", target)
            else:
                main = "".join(_MAIN.findall(page.text))
                fields = {name: unescape(value) for name, value in _HIDDEN.findall(main)}
                more = self._known if 'type="password"' in main else {"answer": "allow"}
                [action] = _ACTION.findall(page.text)
                target = urljoin(page.url, unescape(action))
                page = self._send("POST", target, data={**fields, **more})
        raise AssertionError(f"{page.status_code} {page.url}: {page.text}")

    def _send(self, method: str, address: str, data: Any = None) -> requests.Response:
        headers = {"Origin": self._origin}
        return self.http.request(
            method, address, headers=headers, allow_redirects=False, data=data, timeout=PATIENCE
        )
