"""Passwords are judged as the sign-up judges them, and need not stand in the command line."""

import pytest

from forumsvc.db.engine import Database
from forumsvc.passwords import verify_password
from tests.functional.cli.conftest import Run
from tests.functional.cli.test_cli_users import PASSWORD, user


@pytest.mark.parametrize("ending", ["", "\r\n", "\nanother line\n"])
def test_a_password_comes_from_standard_input(run: Run, database: Database, ending: str) -> None:
    done = run("user", "add", "ann", "--password-stdin", stdin=f"  {PASSWORD} {ending}")
    assert (done.code, done.err) == (0, "")
    assert verify_password(user(database, "ann").password_hash, f"  {PASSWORD} ")
    done = run("user", "password", "ann", "--password-stdin", stdin=f"another horse{ending}")
    assert (done.code, done.err) == (0, "")
    assert verify_password(user(database, "ann").password_hash, "another horse")


def test_an_empty_standard_input_is_refused(run: Run) -> None:
    assert "Standard input is empty" in run("user", "add", "ann", "--password-stdin").refusal


@pytest.mark.parametrize("password", ["qwertyuiop", "m@example.org", "1234567"])
def test_a_password_that_is_easily_guessed_too_short_or_too_long_is_refused(
    run: Run, database: Database, password: str
) -> None:
    of = ("--email", "m@example.org", "--password")
    weak = run("user", "add", "margarethe", *of, password)
    assert "password: " in weak.refusal
    run("user", "add", "margarethe", *of, PASSWORD)
    before = user(database, "margarethe").password_hash
    assert "password: " in run("user", "password", "margarethe", "--password", password).refusal
    assert user(database, "margarethe").password_hash == before
