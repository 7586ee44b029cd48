"""A forum for a test: users who call the API, and shortcuts for its data."""

from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import func, select, update
from webtest import TestApp, TestResponse

import forumsvc
from forumsvc import clock
from forumsvc.cache.database import open_database
from forumsvc.db.availability import AvailabilityCheck
from forumsvc.db.connection_options import ConnectionOptions
from forumsvc.db.engine import Database
from forumsvc.models import Base, IssuedBy, Node, User, UserFollow
from forumsvc.oauth import tokens
from forumsvc.services import mails
from forumsvc.settings import Settings
from tests import databases
from tests.functional.checked_app import CheckedApp
from tests.functional.rows import insert_row, insert_rows

API = "/api/v3"
SECRET = "a secret of the tests, long enough for everybody"

ROLES = {
    **dict.fromkeys(("chief", "deputy", "plain"), "maintainer"),
    **dict.fromkeys(("root", "keeper"), "admin"),
    "vip": "vip",
}
"""The roles of people in stories; all others are members."""
SCOPES = {"plain": "read write", "keeper": "admin", "reader": "read"}
"""What the tokens of some of them may do."""


def role_of(login: str) -> str:
    """Return the role of somebody in a story."""
    return ROLES.get(login, "member")


def scope_of(login: str) -> str:
    """Return the scope of their token: if SCOPES does not say otherwise, all of their role."""
    return SCOPES.get(login, "read write moderate admin" if login in ROLES else "read write")


def ini_of(database_url: str, settings: dict[str, str]) -> dict[str, str]:
    """Return `[app:main]` of an ini with these settings."""
    return {
        "site.environment": "development",
        **databases.settings_of(database_url),
        "session.secret": SECRET,
        "markup.workers": "1",
        "topics.view_count_flush_seconds": "3600",
        "accounts.password_slots": "64",
        "rate_limit.searches": "off",
        "rate_limit.reports": "off",
        # A busy machine may need longer than the service waits.
        "markup.wall_seconds": "120",
        "database.lock_timeout_seconds": "10",
        "database.pool_timeout_seconds": "60",
        "moderation.blocks_recheck_seconds": "3600",
        "accounts.sign_up_min_seconds": "off",
        **settings,
    }


def make_app(database_url: str, here: Path, **settings: str) -> Any:
    """Return the application of an ini with these settings."""
    return forumsvc.main({"here": str(here)}, **ini_of(database_url, settings))


def configure_again(application: Any, here: Path, ini: dict[str, str]) -> None:
    """Give an application new services; `ini` differs in settings alone that no view has read."""
    registry = application.registry
    settings = registry.forum_settings = Settings(ini)
    options = ConnectionOptions.from_settings(settings)
    registry.database = open_database(settings["sqlalchemy.url"], options)
    registry.availability = AvailabilityCheck(registry.database)
    mails.configure(registry.database, settings)
    forumsvc.configure_services(registry, settings, here)
    forumsvc.configure_background(registry, here)


def content(answer: TestResponse) -> Any:
    """Return the resource or the list that an answer shows, in either envelope."""
    shown = answer.json
    return shown if isinstance(shown, list) or "id" in shown else next(iter(shown.values()))


class Caller:
    """A client of the API, with or without a token."""

    def __init__(self, app: TestApp, token: str | None = None) -> None:
        self.app = app
        self.token = token

    def call(self, method: str, path: str, params: Any = None, **kw: Any) -> TestResponse:
        """Send a request to a path under /api/v3 and return the answer, whatever its status.

        params: what goes into the query of a GET or HEAD, else into a form; `json=` sends JSON.
        """
        headers = dict(kw.pop("headers", {}))
        if self.token is not None:
            headers["Authorization"] = f"Bearer {self.token}"
        if "json" in kw:
            send = getattr(self.app, f"{method.lower()}_json")
            return send(API + path, kw["json"], headers=headers, status="*")
        send = getattr(self.app, method.lower())
        return send(API + path, params=params or "", headers=headers, status="*", **kw)

    def get(self, path: str, **params: Any) -> TestResponse:
        """GET."""
        return self.call("GET", path, params)

    def post(self, path: str, **params: Any) -> TestResponse:
        """POST a form."""
        return self.call("POST", path, params)

    def put(self, path: str, **params: Any) -> TestResponse:
        """PUT a form."""
        return self.call("PUT", path, params)

    def delete(self, path: str, **params: Any) -> TestResponse:
        """DELETE with a form."""
        return self.call("DELETE", path, params)


@dataclass
class Person(Caller):
    """A user with a token."""

    app: TestApp
    token: str | None
    id: int
    login: str


class Forum:
    """The application, its database, and shortcuts to fill it."""

    def __init__(self, application: Any, database: Database) -> None:
        self.application = application
        self.registry = application.registry
        self.database = database
        self.app = CheckedApp(application)
        self.nobody = Caller(self.app)
        # The application may know blocks of the test before; and statements are counted.
        self.registry.blocked_networks.refresh(database.executor, now=True)

    def person(
        self, login: str, *, role: str = "member", scope: str = "read write", age_days: float = 30
    ) -> Person:
        """Add an active user and give them a token."""
        moment = clock.now() - timedelta(days=age_days)
        with self.database.session.begin() as db:
            times = {"created_at": moment, "updated_at": moment}
            user_id = insert_row(db, User, login=login, role=role, **times)
        return Person(self.app, self.token(user_id, scope=scope), user_id, login)

    def token(self, user_id: int | None, *, scope: str = "read write", ttl: int = 3600) -> str:
        """Issue an access token, as `forumsvc token issue` does."""
        with self.database.session.begin() as db:
            return tokens.issue(
                db,
                client_id=tokens.get_or_create_builtin_client(db),
                user_id=user_id,
                scope=scope,
                access_ttl=ttl,
                refresh_ttl=None,
                issued_by=IssuedBy.ADMIN,
            ).access_token

    def caller(self, token: str | None) -> Caller:
        """Return a caller with this token."""
        return Caller(self.app, token)

    def change(self, user_id: int, **columns: Any) -> None:
        """Set columns of a user, as an admin's command would."""
        with self.database.session.begin() as db:
            db.execute(update(User).where(User.id == user_id).values(**columns))

    def node(self, name: str = "General", **columns: Any) -> int:
        """Add a node and return its id."""
        with self.database.session.begin() as db:
            return insert_row(db, Node, name=name, **columns)

    def topic(
        self, author: Person, node_id: int, title: str = "A title", body: str = "A body"
    ) -> int:
        """Create a topic of a user and return its id."""
        made = author.post("/topics", title=title, node_id=node_id, body=body)
        assert made.status_int in (200, 201), made.text
        return content(made)["id"]

    def reply(self, author: Person, topic_id: int, body: str = "A reply") -> int:
        """Create a reply of a user and return its id."""
        made = author.post(f"/topics/{topic_id}/replies", body=body)
        assert made.status_int in (200, 201), made.text
        return content(made)["id"]

    def count(self, model: type[Base]) -> int:
        """Return how many rows a table has."""
        with self.database.reads.connect() as connection:
            return connection.scalar(select(func.count()).select_from(model)) or 0


def add_followers(database: Database, target: Person, count: int) -> set[int]:
    """Add so many followers of a user and return their ids."""
    users = [{"login": f"fan{number}", "following_count": 1} for number in range(count)]
    with database.session.begin() as db:
        ids = insert_rows(db, User, users)
        insert_rows(db, UserFollow, [{"user_id": each, "target_id": target.id} for each in ids])
        counted = update(User).where(User.id == target.id)
        db.execute(counted.values(followers_count=User.followers_count + count))
    return set(ids)
