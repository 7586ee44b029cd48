"""A forum keeps its last active admin."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy.orm import Session

from forumsvc.db.engine import Database
from forumsvc.errors import Conflict
from forumsvc.models import Role
from forumsvc.services import accounts
from forumsvc.services.moderation import restrictions
from tests.functional.cli.conftest import Run

PASSWORD = "correct horse"
WAYS = [("role", "ann", "member"), ("block", "ann"), ("delete", "ann", "--yes")]


def add(run: Run, login: str, role: str = "admin") -> None:
    """Add a user."""
    assert run("user", "add", login, "--password", PASSWORD, "--role", role).code == 0


def admins(run: Run) -> list[str]:
    """Return the logins of the active admins."""
    found = run("user", "list", "--role", "admin", "--state", "active", "--json").json["users"]
    return [each["login"] for each in found]


@pytest.mark.parametrize("words", WAYS, ids=lambda words: words[0])
def test_the_last_admin_stays(run: Run, words: tuple[str, ...]) -> None:
    add(run, "ann")
    add(run, "ben", "maintainer")
    add(run, "old")
    run("user", "block", "old")
    before = run("user", "show", "ann", "--json").json
    assert "ann is the last active admin" in run("user", *words).refusal
    assert run("user", "show", "ann", "--json").json == before
    run("user", "role", "ben", "admin")
    assert run("user", *words).code == 0
    assert admins(run) == ["ben"]


def test_the_last_admin_may_be_made_admin_again(run: Run) -> None:
    add(run, "ann")
    assert run("user", "role", "ann", "admin").code == 0


@pytest.mark.parametrize("take_away", [restrictions.silence_without_reason, accounts.delete])
def test_of_two_admins_taken_away_at_once_one_stays(
    run: Run, database: Database, take_away: Callable[[Session, str], object]
) -> None:
    logins = [f"admin{number}" for number in range(6)]
    for login in logins:
        add(run, login)

    def take(login: str) -> bool:
        try:
            with database.session.begin() as db:
                take_away(db, login)
        except Conflict:
            return False
        return True

    with ThreadPoolExecutor(len(logins)) as pool:
        done = list(pool.map(take, logins))
    assert done.count(False) == 1
    assert len(admins(run)) == 1


def test_an_admin_is_counted_only_when_the_other_change_is_done(
    run: Run, database: Database
) -> None:
    for login in ("ann", "ben"):
        add(run, login)
    with ThreadPoolExecutor(1) as pool:
        with database.session.begin() as db:
            accounts.set_role(db, "ann", Role.MEMBER)
            # It waits for this transaction, whatever comes of it.
            other = pool.submit(run, "user", "role", "ben", "member")
        assert "last active admin" in other.result().refusal
    assert admins(run) == ["ben"]
