"""Looking up users: `user list`, `user show`."""

import json
from pathlib import Path
from typing import Any

import pytest

from forumsvc.db.engine import Database
from forumsvc.models import User
from tests.functional.cli.conftest import Run
from tests.functional.cli.terminal import run_on_terminal
from tests.functional.rows import insert_row

PEOPLE: list[dict[str, Any]] = [
    {"login": "Ann_1", "name": "Anna Adams", "email": "ann@example.org", "role": "admin"},
    {"login": "ben", "name": "100% Ben", "email": None, "role": "member"},
    {"login": "carl", "name": "Zoë", "email": "C@Test.example", "role": "member"},
    {"login": "dora", "name": "", "email": None, "role": "vip", "state": "blocked"},
    {"login": "emil", "name": "\x1b[31mred\tname", "email": None, "role": "member"},
]


@pytest.fixture
def people(database: Database) -> None:
    """Five users."""
    with database.session.begin() as db:
        for each in PEOPLE:
            insert_row(db, User, email_key=each["email"] and each["email"].lower(), **each)


def logins(found: dict[str, Any]) -> list[str]:
    """Return the logins of a page."""
    return [each["login"] for each in found["users"]]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ((), ["Ann_1", "ben", "carl", "dora", "emil"]),
        (("--role", "member"), ["ben", "carl", "emil"]),
        (("--state", "blocked"), ["dora"]),
        (("--role", "member", "--state", "blocked"), []),
    ],
)
@pytest.mark.usefixtures("people")
def test_users_are_listed_by_role_and_state(
    run: Run, words: tuple[str, ...], expected: list[str]
) -> None:
    assert logins(run("user", "list", *words, "--json").json) == expected


@pytest.mark.usefixtures("people")
def test_pages_follow_each_other_to_the_end(run: Run) -> None:
    seen, after = [], 0
    while after is not None:
        page = run("user", "list", "--limit", 2, "--after", after, "--json").json
        seen.append(logins(page))
        after = page["after"]
    assert seen == [["Ann_1", "ben"], ["carl", "dora"], ["emil"]]
    plain = run("user", "list", "--limit", 2)
    assert (plain.code, len(plain.out.splitlines())) == (0, 3)
    assert "--after" in plain.err


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ANN", ["Ann_1"]),
        ("example.ORG", ["Ann_1"]),
        ("ZOë", ["carl"]),
        ("%", ["ben"]),
        ("_", ["Ann_1"]),
        ("nobody", []),
    ],
)
@pytest.mark.usefixtures("people")
def test_a_search_finds_login_name_and_email_whatever_the_case(
    run: Run, text: str, expected: list[str]
) -> None:
    assert logins(run("user", "list", "--search", text, "--json").json) == expected


@pytest.mark.usefixtures("people")
def test_a_user_is_shown_with_what_they_hold(run: Run, database: Database) -> None:
    run("token", "issue", "ann_1")
    shown = run("user", "show", "ANN_1", "--json").json
    assert shown["created_at"].endswith("Z")
    assert (shown["login"], shown["name"], shown["email"]) == (
        "Ann_1",
        "Anna Adams",
        "ann@example.org",
    )
    assert (shown["role"], shown["state"]) == ("admin", "active")
    assert (shown["sessions"], shown["tokens"], shown["applications"]) == (0, 1, 0)
    assert "no user" in run("user", "show", "nobody").refusal


@pytest.mark.usefixtures("people")
def test_a_name_cannot_steer_the_terminal(run: Run, ini: Path) -> None:
    for shown in (run("user", "list").out, run_on_terminal(ini, "user", "list").shown):
        assert "\x1b" not in shown
        assert "\N{REPLACEMENT CHARACTER}[31mred\N{REPLACEMENT CHARACTER}name" in shown
    assert json.loads(run("user", "list", "--json").out)["users"][4]["name"] == PEOPLE[4]["name"]


@pytest.mark.usefixtures("people")
def test_of_a_silenced_user_the_end_and_the_reason_are_shown(run: Run) -> None:
    run("user", "silence", "ben", "--days", "3", "--reason", "Shouting")
    shown = run("user", "show", "ben", "--json").json
    assert (shown["state"], shown["blocked_reason"]) == ("blocked", "Shouting")
    assert shown["blocked_until"] > shown["updated_at"]
