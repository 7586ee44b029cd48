"""Commands that delete something ask for confirmation on a terminal, and say what is deleted."""

import pytest
from sqlalchemy import update

from forumsvc.db.engine import Database
from forumsvc.models import User
from tests.functional.cli.conftest import Run
from tests.functional.cli.terminal import run_on_terminal

PASSWORD = "correct horse"
EXTENDED = pytest.mark.extended


@pytest.fixture
def losses(run: Run, database: Database) -> dict[str, tuple[list[object], str]]:
    """Commands that take something away, and a part of what each says of it."""
    run("user", "add", "ann", "--password", PASSWORD, "--email", "a@example.org")
    run("token", "issue", "ann")
    client_id = run("client", "add", "Our app", "--json").json["client_id"]
    node_id = run("node", "add", "Python", "--json").json["id"]
    with database.session.begin() as db:
        db.execute(update(User).values(topics_count=7))
    return {
        "user": (["user", "delete", "ann"], "0 sessions, 1 tokens"),
        "client": (["client", "delete", client_id], "(Our app)"),
        "node": (["node", "delete", node_id], "(Python)"),
        "counters": (["db", "check", "--fix"], "deleted for good"),
    }


def state(run: Run) -> str:
    """Return everything that the commands could delete."""
    words = (["user", "list"], ["client", "list"], ["node", "list"])
    return "".join(run(*each, "--json").out for each in words)


@pytest.mark.parametrize(
    "name",
    ["user", *(pytest.param(name, marks=EXTENDED) for name in ("client", "node", "counters"))],
)
def test_a_no_on_a_terminal_changes_nothing(ini, run, losses, name):
    words, loss = losses[name]
    before = state(run)
    typed = run_on_terminal(ini, *words, answer="n\n")
    assert typed.code == 1
    assert loss in typed.shown
    assert "Nothing was changed." in typed.shown
    assert state(run) == before


@EXTENDED
@pytest.mark.parametrize(("option", "answer"), [((), "y\n"), (("--yes",), "")])
def test_a_yes_goes_on(ini, run, losses, option, answer):
    words, loss = losses["user"]
    before = state(run)
    typed = run_on_terminal(ini, *words, *option, answer=answer)
    assert typed.code == 0, typed.shown
    assert (loss in typed.shown) == (not option)
    assert state(run) != before
