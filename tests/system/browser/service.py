"""The real service in processes of its own, with registration open."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

from sqlalchemy import select, update

from forumsvc import clock
from forumsvc.models import BrowserSession, User
from forumsvc.oauth import clients
from forumsvc.services.posts import nodes
from tests.system.oauth import service as provider
from tests.system.pserve import LOGGING

PASSWORD = "tangled-wire-77"
SETTINGS = {
    "site__name": "Harbour",
    "accounts__registration": "open",
    "accounts__registrations_per_hour": "1000",
    "accounts__sign_up_min_seconds": "off",
    "accounts__confirm_email": "false",
    "oauth__user_registered_clients": "true",
    "mail__requests_per_hour": "1000",
    "mail__delivery": "folder",
    "mail__dir": "mail",
    # A busy machine may need longer than a second for what others wait for.
    "database__lock_timeout_seconds": "60",
    "database__pool_timeout_seconds": "60",
}


class Service(provider.Service):
    """A running service, with what a browser needs in it."""

    @property
    def address(self) -> str:
        """Its URL, without a slash at its end."""
        return self.url

    def person(self, login: str, password: str = PASSWORD) -> int:
        """Add a user with PASSWORD and return the id."""
        return super().person(login, password)

    def node(self, name: str) -> None:
        with self.database.session.begin() as db:
            nodes.create(db, None, clock.now(), name)

    def register(self, name: str, redirect_uri: str, owner: int | None = None) -> str:
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
def running(folder: Path) -> Iterator[Service]:
    """Serve a forum of its own in `folder` until the end of the context."""
    with provider.service(folder, LOGGING, **SETTINGS) as made:
        yield Service(made.server, made.ini, made.folder, made.database)
