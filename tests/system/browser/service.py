"""The real service in processes of its own, with registration open."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from sqlalchemy import insert, select, update

from forumsvc import clock
from forumsvc.cache.database import open_database
from forumsvc.db.engine import Database
from forumsvc.models import BrowserSession, User
from forumsvc.oauth import clients
from forumsvc.process.passwords import hash_password
from forumsvc.services.posts import nodes
from tests.system.pserve import LOGGING, Pserve, launch, serving

PASSWORD = "tangled-wire-77"
INI = """
[app:main]
use = call:forumsvc:main
site.environment = development
sqlalchemy.url = {url}
session.secret = a secret of the tests, long enough for everybody
site.name = Harbour
accounts.registration = open
accounts.registrations_per_hour = 1000
accounts.sign_up_min_seconds = off
mail.requests_per_hour = 1000
oauth.user_registered_clients = true
mail.delivery = folder
accounts.confirm_email = false
mail.dir = mail
markup.workers = 0

[server:main]
paste.server_factory = forumsvc.serving:server_factory
listen = 127.0.0.1:0
threads = 4
"""


@dataclass
class Service:
    """A running service. address: without a slash at its end; mail: the folder of its mail."""

    server: Pserve
    database: Database
    mail: Path

    @property
    def address(self) -> str:
        """Its URL."""
        return f"http://127.0.0.1:{self.server.port}"

    def person(self, login: str) -> int:
        """Add a user with PASSWORD and return the id."""
        now = clock.now()
        values = {
            "login": login,
            "login_key": login.lower(),
            "email": f"{login}@example.org",
            "email_key": f"{login}@example.org".lower(),
            "password_hash": hash_password(PASSWORD),
            "created_at": now,
            "updated_at": now,
        }
        with self.database.session.begin() as db:
            return db.execute(insert(User).values(**values).returning(User.id)).scalar_one()

    def node(self, name: str) -> None:
        with self.database.session.begin() as db:
            nodes.create(db, name)

    def client(self, name: str, redirect_uri: str, owner: int | None = None) -> str:
        """Register a public application and return its identifier."""
        grants = ("authorization_code", "refresh_token")
        with self.database.session.begin() as db:
            return clients.create(
                db, name, grants=grants, redirect_uris=[redirect_uri], public=True, owner_id=owner
            ).client_id

    def expire_sessions(self, login: str) -> None:
        past = clock.now() - timedelta(seconds=1)
        user = select(User.id).where(User.login == login).scalar_subquery()
        with self.database.session.begin() as db:
            db.execute(
                update(BrowserSession)
                .where(BrowserSession.user_id == user)
                .values(expires_at=past)
                .execution_options(synchronize_session=False)
            )


@contextmanager
def running(folder: Path, url: str) -> Iterator[Service]:
    """Serve a database until the end of the context. folder: for the ini, the log and the mail."""
    ini = folder / "forum.ini"
    ini.write_text(INI.replace("{url}", url) + LOGGING)
    database = open_database(url)
    try:
        with serving(launch(ini, folder / "output", folder)) as server:
            yield Service(server, database, folder / "mail")
    finally:
        database.dispose()
