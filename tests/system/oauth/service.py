"""The whole service in a process of its own, with its log at DEBUG."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import requests
from sqlalchemy import insert

from forumsvc import clock, migrate
from forumsvc.cache.database import open_database
from forumsvc.db.engine import Database
from forumsvc.models import User
from forumsvc.oauth import clients
from forumsvc.process.passwords import hash_password
from tests.system.process import PATIENCE
from tests.system.pserve import Pserve, launch, serving

PASSWORD = "correct horse battery"
CALLBACK = "http://127.0.0.1/callback"
"""Where nobody listens: what the browser would be sent to is read off the answer."""

INI = """
[app:main]
use = call:forumsvc:main
site.environment = development
sqlalchemy.url = {url}
session.secret = a secret of the tests, long enough for everybody
photos.dir = photos
markup.workers = 0
{settings}

[server:main]
paste.server_factory = forumsvc.serving:server_factory
listen = 127.0.0.1:0
"""
DEBUG = """
[loggers]
keys = root, sqlalchemy, oauthlib
[handlers]
keys = console
[formatters]
keys = plain
[logger_root]
level = DEBUG
handlers = console
[logger_sqlalchemy]
level = DEBUG
handlers =
qualname = sqlalchemy
[logger_oauthlib]
level = DEBUG
handlers =
qualname = oauthlib
[handler_console]
class = StreamHandler
args = (sys.stderr,)
formatter = plain
[formatter_plain]
format = %(levelname)s %(name)s %(message)s
"""


@dataclass
class Service:
    """A running service. ini: its file; folder: with its SQLite database."""

    server: Pserve
    ini: Path
    folder: Path
    database: Database

    @property
    def url(self) -> str:
        """Its URL, which is also its issuer identifier."""
        return f"http://127.0.0.1:{self.server.port}"

    def person(self, login: str, password: str = PASSWORD) -> int:
        """Add a user who logs in with the password, and return the id."""
        now = clock.now()
        with self.database.session.begin() as db:
            return db.execute(
                insert(User)
                .values(
                    login=login,
                    login_key=login.lower(),
                    email=f"{login}@example.org",
                    email_key=f"{login}@example.org".lower(),
                    password_hash=hash_password(password),
                    created_at=now,
                    updated_at=now,
                )
                .returning(User.id)
            ).scalar_one()

    def client(
        self,
        name: str,
        *,
        grants: Sequence[str] = clients.GRANTS,
        redirect_uris: Sequence[str] = (CALLBACK,),
        public: bool = False,
    ) -> clients.NewClient:
        """Register a client; a public one may use every grant that needs no secret."""
        if public:
            grants = [grant for grant in grants if grant != "client_credentials"]
        with self.database.session.begin() as db:
            return clients.create(
                db, name, grants=grants, redirect_uris=redirect_uris, public=public
            )

    def post(self, endpoint: str, **parameters: Any) -> requests.Response:
        """POST a form to an endpoint of the provider; a parameter that is None is left out."""
        return requests.post(f"{self.url}/oauth/{endpoint}", data=parameters, timeout=PATIENCE)

    def hello(self, access_token: str) -> requests.Response:
        headers = {"Authorization": f"Bearer {access_token}"}
        return requests.get(f"{self.url}/api/v3/hello", headers=headers, timeout=PATIENCE)


@contextmanager
def service(folder: Path, log: str = DEBUG, **settings: str) -> Iterator[Service]:
    """Run a service with its own SQLite database in `folder`, and stop it afterwards.

    log: how it logs, in an ini file; settings: additional ones, as keyword `area__setting`.
    """
    url = f"sqlite:///{folder / 'forum.sqlite'}"
    settings.setdefault("site__name", "Forum")
    lines = [f"{name.replace('__', '.')} = {value}" for name, value in settings.items()]
    ini = folder / "forum.ini"
    ini.write_text(INI.format(url=url, settings="\n".join(lines)) + log)
    database = open_database(url)
    try:
        migrate.upgrade(database.writes)
        with serving(launch(ini, folder / "output", folder)) as server:
            yield Service(server, ini, folder, database)
    finally:
        database.dispose()
