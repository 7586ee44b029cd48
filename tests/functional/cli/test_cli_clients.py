"""`forumsvc client …` and `forumsvc token …`."""

from datetime import timedelta

from sqlalchemy import select

from forumsvc import clock
from forumsvc.db.engine import Database
from forumsvc.models import OAuthToken
from forumsvc.oauth import clients, tokens

SECRET = "shipped since 2019, with the phone ~!\"'"


def recognized(database: Database, client_id: str, secret: str | None) -> bool:
    with database.reads.connect() as db:
        return clients.authenticate(db, client_id, secret) is not None


def test_a_client_keeps_the_id_and_the_secret_that_it_is_shipped_with(run, database):
    words = ("client", "add", "App", "--id", "our app:1", "--secret", SECRET)
    assert run(*words, "--json").json == {"client_id": "our app:1", "client_secret": SECRET}
    assert recognized(database, "our app:1", SECRET)
    assert not recognized(database, "our app:1", SECRET + " ")


def test_a_secret_comes_from_standard_input(run, database):
    words = ("client", "add", "App", "--id", "app", "--secret-stdin")
    done = run(*words, stdin=f"{SECRET}\n")
    assert (done.code, done.err) == (0, "")
    assert recognized(database, "app", SECRET)


def test_each_may_be_given_alone(run, database):
    added = run("client", "add", "App", "--id", "app", "--json").json
    assert (added["client_id"], len(added["client_secret"])) == ("app", 43)
    other = run("client", "add", "App", "--secret", SECRET, "--json").json
    assert recognized(database, other["client_id"], SECRET)
    public = run("client", "add", "App", "--id", "phone", "--public", "--json").json
    assert public == {"client_id": "phone", "client_secret": None}
    assert recognized(database, "phone", None)


def test_an_issued_token_has_the_scope_and_life_asked_for(run, database):
    run("user", "add", "ann", "--password", "correct horse")
    issued = run("token", "issue", "ann", "--scope", "read", "--ttl", 60, "--json").json
    with database.reads.connect() as db:
        found = tokens.find_by_access_token(db, issued["access_token"], clock.now())
        row = db.execute(select(OAuthToken)).one()
    assert (found and found.scope, row.refresh_hash) == ("read", None)
    assert row.access_expires_at - row.created_at == timedelta(seconds=60)
