"""A browser at our pages: its cookie, who is logged in by it, and that its forms are ours.

One cookie holds one random secret. Where a session of the database has its digest, somebody is
logged in; the token in every form is made of it, so that a form is good for one browser alone,
before the log-in as after it. It is renewed by logging in.
"""

import hmac
import re
from hashlib import sha256
from typing import Any

from sqlalchemy import Row

from ..errors import Forbidden
from ..oauth import sessions
from ..oauth.login import LoginAttempt
from ..oauth.token_hash import new_secret
from ..resources.visitor import Visitor
from ..security.identity import identify
from ..web.api.request import ForumRequest, newbie_duration
from ..web.pipeline.transactions import is_unsafe
from .paths import own_path
from .security_headers import finish

_SECRET = re.compile(r"[A-Za-z0-9_-]{43}", re.ASCII)
_LONGER = 86400
"""Seconds by which the cookie outlives the session: an expired one is met by the log-in page."""


class LoginNeeded(Exception):
    """The page is somebody's own. next: the path to go on to after the log-in, if any."""

    def __init__(self, next_path: str | None) -> None:
        super().__init__("This page needs a log-in.")
        self.next = next_path


class Visit(Visitor):
    """The context of every page. person: the row of who is logged in, or None."""

    def __init__(self, request: ForumRequest) -> None:
        """Read the cookie. Raises Forbidden for a form that is not from a page of this browser."""
        self.request = request
        request.visit = self  # for the page of an error
        self._secure = request.site.base_url.startswith("https://")
        self._cookie = self._read()
        self._changed = False
        self.person: Row[Any] | None = None
        self.policy: dict[str, str] = {}
        """What this page needs beside what all pages may (directives of the CSP)."""
        request.add_response_callback(self._finish)
        if self._cookie is not None:
            # Not in the request's transaction, which on SQLite would lock everybody out.
            self.person = sessions.find(request.read_connection, self._cookie, request.now)
        if self.person is not None:
            request.caller = identify(self.person, request.now, newbie_duration(request.settings))
        if request.method == "POST":
            self._check_form()

    @property
    def form_token(self) -> str:
        """What a form must bring back to show that it is from a page of this browser."""
        if self._cookie is None:
            self._cookie, self._changed = new_secret(), True
        return self._token(self._cookie)

    @property
    def session(self) -> str:
        """The secret of the session in which somebody is logged in."""
        assert self.person is not None, "asked on pages of somebody's own"  # noqa: S101
        assert self._cookie is not None, "the session was found by it"  # noqa: S101
        return self._cookie

    def log_in(self, attempt: LoginAttempt, password: str) -> bool:
        """Open a session in place of what the browser had; False where the user is gone."""
        request = self.request
        self._end()
        ttl = request.settings["session.ttl"]
        secret = sessions.create(request.db, attempt, password, ttl=ttl, now=request.now)
        if secret is None:
            return False
        self._cookie, self._changed = secret, True
        return True

    def log_out(self) -> None:
        """End the session."""
        self._end()
        self._cookie, self._changed = None, True

    def _end(self) -> None:
        if self._cookie is not None and self.person is not None:
            sessions.delete(self.request.db, self._cookie)

    @property
    def _name(self) -> str:
        # Browsers keep the prefix to what this very host has set, over TLS (RFC 6265bis §4.1.3.2).
        return "__Host-session" if self._secure else "session"

    def _read(self) -> str | None:
        value = self.request.cookies.get(self._name, "")
        return value if _SECRET.fullmatch(value) else None

    def _token(self, cookie: str) -> str:
        key = self.request.settings["session.secret"].encode()
        return hmac.new(key, f"form {cookie}".encode(), sha256).hexdigest()

    def _check_form(self) -> None:
        sent = self.request.parameters.get("form_token")
        expected = None if self._cookie is None else self._token(self._cookie)
        if (
            expected is None
            or not isinstance(sent, str)
            or not hmac.compare_digest(sent.encode("utf-8", "surrogatepass"), expected.encode())
        ):
            raise Forbidden("This form is out of date, or not from here. Load the page again.")

    def _finish(self, request: ForumRequest, response: Any) -> None:
        finish(response, self.policy)
        if not self._changed:
            return
        kept = self._cookie is not None
        response.set_cookie(
            self._name,
            self._cookie if kept else "",
            max_age=request.settings["session.ttl"] + _LONGER if kept else 0,
            path="/",
            secure=self._secure,
            httponly=True,
            samesite="Lax",
        )


def anybodys(request: ForumRequest) -> Visit:
    """Return the context of a page that everybody may see."""
    return Visit(request)


def ones_own(request: ForumRequest) -> Visit:
    """Return the context of a page that needs a log-in. Raises LoginNeeded."""
    visit = Visit(request)
    if visit.person is None:
        raise LoginNeeded(_afterwards(request))
    return visit


def _afterwards(request: ForumRequest) -> str | None:
    if not is_unsafe(request):
        return own_path(request.path_qs)
    # The page that the form was on, where it is at the same address.
    methods = request.registry.methods.of(request.matched_route.name, Visit, "") or ()
    return own_path(request.path) if "GET" in methods else None
