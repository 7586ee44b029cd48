"""A filled forum, and members who log in there and write."""

import json
from dataclasses import dataclass
from pathlib import Path

from benchmarks.fill import Size
from benchmarks.request import API, ask_json, form, get
from benchmarks.servers import ROOT, Server, forumsvc, run_python

Login = dict[str, str]
"""The form by which anybody of the community logs in, but for `username`."""


def fill(ini: Path, size: Size, root: Path = ROOT) -> Login:
    """Create the tables and a community by the commands of a checkout; return how to log in.

    In a checkout without `benchmarks.fill` it is `forumsvc demo` that takes the size.
    """
    forumsvc(ini, "db", "upgrade", root=root)
    numbers = [f"--{name}={number}" for name, number in vars(size).items()]
    if (root / "benchmarks" / "fill.py").exists():
        made = json.loads(run_python(["-m", "benchmarks.fill", str(ini), *numbers], root))
    else:
        made = forumsvc(ini, "demo", "--yes", "--seed=1", *numbers, root=root)
    names = ("password", "client_id", "client_secret")
    return {"grant_type": "password", **{name: made[name] for name in names}}


@dataclass(frozen=True)
class Members:
    """Active members, of whom the first makes most requests, and an admin.

    login: the form by which the first one logs in; topics: how many topics there are.
    """

    logins: list[str]
    tokens: list[str]
    admin_token: str
    login: Login
    topics: int

    @property
    def token(self) -> str:
        """Of the first member."""
        return self.tokens[0]


def log_in(server: Server, login: Login, many: int = 100) -> Members:
    """Log in as many members as there are, at most `many`."""
    logins = _logins(server, many)
    nodes = ask_json(server.port, get(f"{API}/nodes"))

    def token(name: str) -> str:
        answer = ask_json(server.port, form("/oauth/token", {**login, "username": name}))
        return str(answer["access_token"])

    return Members(
        logins,
        [token(name) for name in logins],
        token("admin"),
        {**login, "username": logins[0]},
        sum(node["topics_count"] for node in nodes),
    )


def _logins(server: Server, many: int) -> list[str]:
    """Return the most active members, then followers of theirs, as a list has 100 at most."""
    users = ask_json(server.port, get(f"{API}/users?limit={min(many, 100)}"))
    logins = {user["login"]: None for user in users if user["login"] != "admin"}
    for login in [*logins]:
        if len(logins) >= many:
            break
        followers = ask_json(server.port, get(f"{API}/users/{login}/followers?limit=100"))
        logins.update({user["login"]: None for user in followers if user["login"] != "admin"})
    return [*logins][:many]
