"""The API, called in this process without a server: what an endpoint does, a command need not.

An endpoint checks, locks, writes and records as for a client of the service. Its caller is the
operator or a user, without a token; no limit of clients applies.
"""

import json
import os
import re
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

import click
from webob import Request, Response

from .. import create_application
from ..schemas.paging import MAX_LIMIT
from ..sessions import browser_sessions
from ..settings import Settings
from ..web.api.operator import ENVIRON_KEY, Operator
from ..web.pipeline.request_id import ENVIRON_KEY as REQUEST_ID
from .context import CommandError, Context

_ROOT = "/api/v3"
_SETTINGS = {
    "metrics.enabled": "false",
    "rate_limit.storage": "memory://",
    "rate_limit.requests": "off",
    "rate_limit.writes": "off",
}
"""A command calls as often as it must, and counts nowhere."""
_ERROR, _UNAVAILABLE = 400, 503
_NO_ITEM = "There is nothing here."
_ITEM = re.compile(r"/([a-z_]+?)(ies|s)/(-?\d+)(?!.*/-?\d)")
_NEXT = re.compile(rf'{_ROOT}([^>]*)>; rel="next"')


class ApiError(CommandError):
    """An answer of the API that is an error. status: its status."""

    def __init__(self, answer: Response, path: str) -> None:
        body = answer.json
        message = body.get("message", body["error"])
        self.status: int = answer.status_int
        super().__init__(_name_item(path) if message == _NO_ITEM else message)


class _Unavailable(ApiError):
    """Another run may succeed."""

    exit_code = os.EX_TEMPFAIL


def _name_item(path: str) -> str:
    """Return that the last item of a path is not there: of `/webhooks/7/ping` the webhook 7."""
    match = _ITEM.search(path)
    if match is None:
        return _NO_ITEM
    kind = match[1] + ("y" if match[2] == "ies" else "")
    return f"There is no {kind.replace('_', ' ')} {match[3]}."


class Api:
    """The endpoints of the forum. Every method raises ApiError for an answer that is an error."""

    def __init__(
        self, context: Context, *, login: str | None = None, envelope: str | None = "bare"
    ) -> None:
        """login: of the user as whom to call, None: as the operator; envelope: the setting
        `api.envelope`, None: that of the ini file. Raises CommandError, SettingsError.
        """
        database = context.current_database()
        user = None if login is None else browser_sessions.find_user(database.executor, login)
        if user is None and login is not None:
            raise CommandError(f"There is no user {login!r}.")
        with database.reads.connect() as db:
            operator = Operator(*context.who_runs_it(db), user)
        ini = {**context.section("app:main"), **_SETTINGS}
        if envelope is not None:
            ini["api.envelope"] = envelope
        self._application = create_application(
            Settings(ini, context.ini_dir), ini, context.ini_dir, database=database, pages=False
        )
        self._environ = {ENVIRON_KEY: operator, REQUEST_ID: "-"}
        self._base_url = context.site_url
        registry = self._application.registry
        for service in (registry.view_counter, registry.read_marker, registry.authoring.renderer):
            click.get_current_context().find_root().call_on_close(service.close)

    def call(self, endpoint: str, **parameters: Any) -> Response:
        """Return the answer of an endpoint, such as `POST /webhooks`; parameters: as in `send`."""
        method, _, path = endpoint.partition(" ")
        return self.send(method, path, parameters)

    def rows(
        self,
        path: str,
        names: Sequence[str] | None = None,
        limit: int = MAX_LIMIT,
        **parameters: Any,
    ) -> list[dict[str, Any]]:
        """Return the first `limit` objects of a list, page by page, each as `picked_values` does.

        names: of the values, None: all of them. Raises CommandError for an empty parameter, which
        an endpoint takes for none: a variable of a script may be empty.
        """
        for name, value in parameters.items():
            if value == "":
                raise CommandError(f"{name}: must not be empty")
        answer = self.send("GET", path, {"limit": min(limit, MAX_LIMIT), **parameters})
        listed = list(answer.json)
        while len(listed) < limit and (following := _NEXT.search(answer.headers.get("Link", ""))):
            answer = self.send("GET", following[1])
            listed += answer.json
        return [picked_values(item, names or [*item]) for item in listed[:limit]]

    def send(
        self,
        method: str,
        path: str,
        parameters: Mapping[str, Any] | None = None,
        files: Mapping[str, tuple[str, bytes]] | None = None,
    ) -> Response:
        """Return the answer of a request.

        path: below /api/v3, quoted; parameters: without those that are None, in the query of a GET,
        else in the body; files: name and content of each upload.
        """
        sent = {name: value for name, value in (parameters or {}).items() if value is not None}
        url = f"{_ROOT}{path}"
        body: dict[str, Any] = {}
        if files:
            body = {"POST": {**sent, **files}}
        elif method != "GET":
            body = {"body": json.dumps(sent).encode(), "content_type": "application/json"}
        elif sent:
            url += f"{'&' if '?' in path else '?'}{urlencode(sent, doseq=True)}"
        request = Request.blank(url, self._environ, self._base_url, method=method, **body)
        answer = request.get_response(self._application)
        if answer.status_int >= _ERROR:
            raise (_Unavailable if answer.status_int == _UNAVAILABLE else ApiError)(answer, path)
        return answer


def picked_values(shown: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """Return these values of an object; of a person the login."""
    values = {name: shown[name] for name in names}
    return {
        name: value["login"] if isinstance(value, dict) and "login" in value else value
        for name, value in values.items()
    }
