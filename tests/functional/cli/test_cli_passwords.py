"""Passwords are judged as the sign-up judges them, and need not stand in the command line."""

import subprocess
from pathlib import Path

import pytest

from forumsvc.db.engine import Database
from forumsvc.passwords import verify_password
from tests.functional.cli.conftest import Run
from tests.functional.cli.terminal import COMMAND, ENVIRONMENT
from tests.functional.cli.test_cli_users import PASSWORD, user


def pipe(ini: Path, text: str, *words: str) -> "subprocess.CompletedProcess[str]":
    """Run the command in a process of its own with `text` on its standard input."""
    command = [*COMMAND, "-c", str(ini), *words]
    return subprocess.run(
        command, input=text, capture_output=True, check=False, text=True, env=ENVIRONMENT
    )


@pytest.mark.parametrize("ending", ["", "\r\n", "\nanother line\n"])
def test_a_password_comes_from_standard_input(
    ini: Path, run: Run, database: Database, ending: str
) -> None:
    done = pipe(ini, f"  {PASSWORD} {ending}", "user", "add", "ann", "--password-stdin")
    assert (done.returncode, done.stderr) == (0, "")
    assert verify_password(user(database, "ann").password_hash, f"  {PASSWORD} ")
    done = pipe(ini, f"another horse{ending}", "user", "password", "ann", "--password-stdin")
    assert (done.returncode, done.stderr) == (0, "")
    assert verify_password(user(database, "ann").password_hash, "another horse")


def test_an_empty_standard_input_is_refused(ini: Path, database: Database) -> None:
    done = pipe(ini, "", "user", "add", "ann", "--password-stdin")
    assert (done.returncode, done.stdout) == (1, "")
    assert "Standard input is empty" in done.stderr


def test_two_ways_to_give_a_password_are_wrong_usage(run: Run) -> None:
    outcome = run("user", "add", "ann", "--password", PASSWORD, "--password-stdin")
    assert (outcome.code, outcome.out) == (2, "")


@pytest.mark.parametrize(
    "password", ["password1", "12345678", "qwertyuiop", "margarethe", "m@example.org"]
)
def test_a_password_that_is_easily_guessed_is_refused(
    run: Run, database: Database, password: str
) -> None:
    of = ("--email", "m@example.org", "--password")
    weak = run("user", "add", "margarethe", *of, password)
    assert "password: " in weak.refusal
    run("user", "add", "margarethe", *of, PASSWORD)
    before = user(database, "margarethe").password_hash
    assert "password: " in run("user", "password", "margarethe", "--password", password).refusal
    assert user(database, "margarethe").password_hash == before
