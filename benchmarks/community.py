"""A community in a database, and the member whose token the requests use."""

import json
import subprocess
import sys
from dataclasses import asdict
from datetime import timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import func, insert, select

from benchmarks.servers import ROOT, environment
from forumsvc import clock
from forumsvc.database import open_database
from forumsvc.db.statements import update_of
from forumsvc.demo import Size
from forumsvc.models import Node, OAuthToken, Role, Topic, User, UserState
from forumsvc.oauth import clients, tokens
from forumsvc.oauth.token_hash import hash_token, new_secret
from forumsvc.passwords import hash_password

PASSWORD = "the password of the benchmark"
SCOPE = "read write"
TTL = timedelta(days=1)


def fill(ini: Path, size: Size | None, root: Path = ROOT) -> None:
    """Upgrade the tables and, in an empty database, create a community.

    size: of the community, which is the same each time; None if there is one already; root: the
    checkout whose commands do it.
    """
    forumsvc(ini, "db", "upgrade", root=root)
    if size is not None:
        numbers = [f"--{name}={number}" for name, number in asdict(size).items()]
        forumsvc(ini, "demo", "--seed=1", *numbers, root=root)


def forumsvc(ini: Path, *words: str, refused: bool = False, root: Path = ROOT) -> Any:
    """Run the command `forumsvc` of a checkout and return its JSON output.

    refused: whether it may exit with 1, as `db check` does if it finds something.
    Raises CalledProcessError if it fails.
    """
    program = "from forumsvc.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", program, "-c", ini, *words, "--json"],
        cwd=root,
        env=environment(root),
        stdout=subprocess.PIPE,
        check=not refused,
        text=True,
    )
    if done.returncode > 1:
        done.check_returncode()
    return json.loads(done.stdout)


class Community:
    """The users and topics of a filled database, and credentials to act as them.

    logins: of the most active users, the first of whom makes the requests; token: of that user;
    admin_token: of an admin; topics: the number of topics.
    """

    def __init__(self, url: str, users: int = 100) -> None:
        self._database = open_database(url)
        with self._database.session.begin() as db:
            busiest = db.execute(
                select(User.id, User.login)
                .where(User.state == UserState.ACTIVE)
                .order_by(User.replies_count.desc(), User.topics_count.desc())
                .limit(users)
            ).all()
            self.ids = [row.id for row in busiest]
            self.logins = [row.login for row in busiest]
            self.topics = db.scalar(select(func.count()).select_from(Topic)) or 0
            self._builtin = tokens.get_or_create_builtin_client(db)
            self._client = clients.create(db, "benchmark", grants=("password", "refresh_token"))
            registered = clients.find(db, self._client.client_id)
            assert registered
            self._client_row = registered.id
            db.execute(
                update_of(User)
                .where(User.id == self.ids[0])
                .values(password_hash=hash_password(PASSWORD))
            )
            admin = db.scalars(select(User.id).where(User.role == Role.ADMIN).limit(1)).one()
        self.token, self.admin_token = self.access_tokens([self.ids[0], admin])

    def close(self) -> None:
        """Close the connections to the database."""
        self._database.dispose()

    def access_tokens(self, user_ids: list[int]) -> list[str]:
        """Issue a token for each of the users."""
        given = [new_secret() for _ in user_ids]
        rows = [
            {**self._token(user_id, self._builtin), "access_hash": hash_token(token)}
            for user_id, token in zip(user_ids, given, strict=True)
        ]
        with self._database.session.begin() as db:
            db.execute(insert(OAuthToken), rows)
        return given

    def open_topics(self, most: int) -> list[int]:
        """Return the topics with the latest activity to which every user may reply."""
        shown = (Topic.deleted_at.is_(None), Topic.banned_at.is_(None), Topic.closed_at.is_(None))
        newest = select(Topic.id).where(*shown).order_by(Topic.last_active_at.desc()).limit(most)
        with self._database.reads.connect() as db:
            return list(db.scalars(newest))

    def nodes(self) -> list[int]:
        """Return all nodes."""
        with self._database.reads.connect() as db:
            return list(db.scalars(select(Node.id)))

    def password_grant(self) -> dict[str, str]:
        """Return the form by which the member logs in."""
        login = {"username": self.logins[0], "password": PASSWORD}
        return {"grant_type": "password", **login, **self._credentials()}

    def refresh_grants(self, many: int) -> list[dict[str, str]]:
        """Return forms that each use a new refresh token of the member."""
        given = [new_secret() for _ in range(many)]
        rows = [
            {
                **self._token(self.ids[0], self._client_row),
                "access_hash": hash_token(new_secret()),
                "refresh_hash": hash_token(token),
                "refresh_expires_at": clock.now() + TTL,
            }
            for token in given
        ]
        with self._database.session.begin() as db:
            db.execute(insert(OAuthToken), rows)
        common = {"grant_type": "refresh_token", **self._credentials()}
        return [{"refresh_token": token, **common} for token in given]

    def _credentials(self) -> dict[str, str]:
        return {
            "client_id": self._client.client_id,
            "client_secret": self._client.client_secret or "",
        }

    def _token(self, user_id: int, client: int) -> dict[str, Any]:
        now = clock.now()
        return {
            "client_id": client,
            "user_id": user_id,
            "family": new_secret(),
            "scope": SCOPE,
            "access_expires_at": now + TTL,
            "created_at": now,
        }
