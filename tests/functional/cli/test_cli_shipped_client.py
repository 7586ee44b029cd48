"""`forumsvc client add --id --secret`: an application that is shipped keeps its credentials."""

import pytest

from forumsvc.db.engine import Database
from forumsvc.oauth import clients
from tests.functional.cli.conftest import Run

SECRET = "shipped since 2019, with the phone ~!\"'"


def recognized(database: Database, client_id: str, secret: str | None) -> bool:
    """Return whether these credentials prove a client."""
    with database.reads.connect() as db:
        return clients.authenticate(db, client_id, secret) is not None


def test_a_client_keeps_the_id_and_the_secret_that_it_is_shipped_with(
    run: Run, database: Database
) -> None:
    words = ("client", "add", "App", "--id", "our app:1", "--secret", SECRET)
    assert run(*words, "--json").json == {"client_id": "our app:1", "client_secret": SECRET}
    assert recognized(database, "our app:1", SECRET)
    assert not recognized(database, "our app:1", SECRET + " ")


def test_a_secret_comes_from_standard_input(run: Run, database: Database) -> None:
    words = ("client", "add", "App", "--id", "app", "--secret-stdin")
    done = run(*words, stdin=f"{SECRET}\n")
    assert (done.code, done.err) == (0, "")
    assert recognized(database, "app", SECRET)


def test_each_may_be_given_alone(run: Run, database: Database) -> None:
    added = run("client", "add", "App", "--id", "app", "--json").json
    assert (added["client_id"], len(added["client_secret"])) == ("app", 43)
    other = run("client", "add", "App", "--secret", SECRET, "--json").json
    assert recognized(database, other["client_id"], SECRET)
    public = run("client", "add", "App", "--id", "phone", "--public", "--json").json
    assert public == {"client_id": "phone", "client_secret": None}
    assert recognized(database, "phone", None)


@pytest.mark.parametrize("client_id", ["app", "explorer", "forumsvc-cli"])
def test_an_id_that_is_taken_is_refused(run: Run, database: Database, client_id: str) -> None:
    run("client", "add", "App", "--id", "app", "--secret", SECRET)
    assert client_id in run("client", "add", "Other", "--id", client_id).refusal
    assert recognized(database, "app", SECRET)
    assert len(run("client", "list", "--json").json["clients"]) == 1


@pytest.mark.parametrize(
    ("words", "field"),
    [
        (("--id", "a/b"), "id"),
        (("--secret", "x" * 31), "secret"),
        (("--secret", SECRET, "--public"), "secret"),
    ],
)
def test_credentials_that_no_client_can_have_are_refused(
    run: Run, words: tuple[str, ...], field: str
) -> None:
    assert f"{field}: " in run("client", "add", "App", *words).refusal
    assert run("client", "list", "--json").json == {"clients": []}
